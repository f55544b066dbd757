// Mends what Swagger UI leaves unnamed.
const root = document.getElementById("swagger-ui");

function mend() {
  for (const select of root.querySelectorAll("select:not([aria-label], [id])")) {
    select.setAttribute("aria-label", "Choice");
  }
}

new MutationObserver(mend).observe(root, { childList: true, subtree: true });
