# Mixed models of a study with people: answers (or ratings) with random effects of judges and pairs.
# Made by `solecism judge report STUDY --out FOLDER`; run it in that folder: Rscript analysis.R
# Needs: install.packages(c("lme4", "ordinal"))

answers <- read.csv("answers.csv", colClasses = c(participant = "character", id = "character"))
answers$participant <- factor(answers$participant)
answers$id <- factor(answers$id)
answers$UID <- factor(answers$UID)
design <- answers$design[1]

if (design == "likert") {
  library(ordinal)
  answers$rating <- factor(answers$rating, levels = 1:7, ordered = TRUE)
  answers$good <- as.integer(answers$shown == "good")
  model <- clmm(rating ~ good + (1 + good | participant) + (1 | id), data = answers)
} else {
  library(lme4)
  formula <- right ~ 1 + (1 | participant) + (1 | id)
  model <- glmer(formula, data = answers, family = binomial)
}
print(summary(model))

# Each paradigm against the mean of all, where there are several.
if (nlevels(answers$UID) > 1) {
  contrasts(answers$UID) <- contr.sum(nlevels(answers$UID))
  by_paradigm <- if (design == "likert") {
    clmm(rating ~ good * UID + (1 | participant) + (1 | id), data = answers)
  } else {
    glmer(right ~ UID + (1 | participant) + (1 | id), data = answers, family = binomial,
          control = glmerControl(optimizer = "bobyqa"))
  }
  print(summary(by_paradigm))
}
