/* Adds a button to each listing that copies it. */
"use strict";
for (const box of document.querySelectorAll("[data-copy]")) {
  const code = box.querySelector("code");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  box.querySelector(".codetitle").append(button);
}
