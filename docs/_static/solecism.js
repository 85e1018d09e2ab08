// What scrolls sideways can be reached by keys, and the captions of the contents have a level.
addEventListener("load", () => {
  for (const box of document.querySelectorAll("pre, .table-wrapper")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
  for (const caption of document.querySelectorAll('p.caption[role="heading"]')) {
    caption.setAttribute("aria-level", "2");
  }
});
