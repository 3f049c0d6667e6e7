// Starts Swagger UI in the browser. A file of its own, because the page's policy forbids scripts inside the page.
const { origin, pathname } = window.location;

SwaggerUIBundle({
  dom_id: '#swagger-ui',
  // The page answers with and without a slash at its end.
  url: `${origin}${pathname.replace(/\/$/, '')}/json`,
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // Swagger's own service would be sent the address of the document.
  validatorUrl: null,
});
