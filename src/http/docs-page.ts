/**
 * In charge of the interactive page at /docs; all its files come from this server. Loaded when somebody opens it, with
 * Fastify, which nothing else needs: a start would take a tenth longer.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import Fastify, { type FastifyBaseLogger } from 'fastify';
import type { JsonObject } from './openapi/calls.ts';

type Listener = (message: IncomingMessage, response: ServerResponse) => void;

export interface DocsPageParts {
  readonly document: () => JsonObject;
  readonly log: FastifyBaseLogger;
  /** Answers for what is no file of the page. */
  readonly missing: (message: IncomingMessage) => void;
  /** And for what should not have happened. */
  readonly failed: (message: IncomingMessage, error: unknown) => void;
}

/** Styles are set on elements by the page's own script; scripts come from files alone. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** What serves its files, at the addresses of `docsPageUrl`. */
export async function createDocsPage({ document, log, missing, failed }: DocsPageParts): Promise<Listener> {
  const server = Fastify({
    loggerInstance: log,
    frameworkErrors: (error, request, reply) => {
      reply.hijack();
      failed(request.raw, error);
    },
  });
  server.setErrorHandler((error, request, reply) => {
    reply.hijack();
    failed(request.raw, error);
  });
  server.setNotFoundHandler((request, reply) => {
    reply.hijack();
    missing(request.raw);
  });
  await server.register(swagger, { mode: 'static', specification: { document: {} as never } });
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: CONTENT_SECURITY_POLICY,
    // Relative, so that the page can try calls under whichever name it was opened.
    transformSpecification: () => ({ ...document(), servers: [{ url: '..' }] }) as never,
    uiConfig: { layout: 'BaseLayout', displayRequestDuration: true, tryItOutEnabled: true },
    theme: { title: 'Offerbook API' },
  });
  await server.ready();
  return (message, response) => server.routing(message, response);
}
