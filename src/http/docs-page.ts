/** In charge of the interactive page at /docs; all its files come from this server. */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import type { JsonObject } from './openapi/calls.ts';

/** Styles are set on elements by the page's own script; scripts come from files alone. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const DOCS_URL = /^\/+(?:api\/+)?docs(?=[/?]|$)/i;

/** The address under which Fastify knows a file of the page; undefined for every other address. */
export function docsPageUrl(url: string): string | undefined {
  return DOCS_URL.test(url) ? url.replace(DOCS_URL, '/docs') : undefined;
}

export async function serveDocsPage(server: FastifyInstance, document: () => JsonObject): Promise<void> {
  await server.register(swagger, { mode: 'static', specification: { document: {} as never } });
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: CONTENT_SECURITY_POLICY,
    // Relative, so that the page can try calls under whichever name it was opened.
    transformSpecification: () => ({ ...document(), servers: [{ url: '..' }] }) as never,
    uiConfig: { layout: 'BaseLayout', displayRequestDuration: true, tryItOutEnabled: true },
    theme: { title: 'Offerbook API' },
  });
}
