// Shows the document that the page names. A file of its own, because inline scripts are not allowed.
const place = document.getElementById("page");
SwaggerUIBundle({
  domNode: place,
  url: place.dataset.document,
  deepLinking: true,
  // Nothing is asked of any other server.
  validatorUrl: null,
  onComplete: () => {
    document.title = document.querySelector(".info .title")?.firstChild?.textContent ?? "API";
  },
});
