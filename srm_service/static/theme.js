// Pages without the bundle follow the theme that was chosen on the page, or the system's.
const chosen = localStorage.getItem("mantine-color-scheme-value");
const system = matchMedia("(prefers-color-scheme: dark)");

function follow() {
  const isDark = chosen === "dark" || (chosen !== "light" && system.matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  document.documentElement.classList.toggle("dark-mode", isDark);
}

follow();
system.addEventListener("change", follow);
