/**
 * Serves `GET /` with links to the API, the documentation and the portal: a page for browsers, JSON for programs. Builds the pages that the
 * server writes itself, in the style of the documentation.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import type { AnnouncedChange } from '../../store/port/settings.ts';
import { entityTag, HTML_TYPE, isCached, JSON_TYPE, REVALIDATED, sendPage } from '../static-files.ts';
import { escapedHtml } from './fill.ts';

const START_URL = /^\/+(?:\?|$)/;

export interface StartLinks {
  readonly brand: string;
  /** The URL at which clients reach this server. */
  readonly publicUrl: string;
  readonly hasPortal: boolean;
  /** Whether the demo shows its shop. */
  readonly hasShop: boolean;
}

export function isStart(url: string): boolean {
  return START_URL.test(url);
}

export async function sendStart(message: IncomingMessage, response: ServerResponse, links: StartLinks): Promise<void> {
  const isBrowser = acceptsHtml(message);
  const text = isBrowser ? startHtml(links) : startJson(links);
  response.setHeader('vary', 'accept');
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('content-security-policy', DOCS_POLICY);
  await sendRevalidated(message, response, isBrowser ? HTML_TYPE : JSON_TYPE, text);
}

/** Lists what is announced now. Programs read `GET /requirements/changes`, which also has the past. */
export async function sendSchedule(
  message: IncomingMessage,
  response: ServerResponse,
  changes: readonly Pick<AnnouncedChange, 'enforcedFromMs' | 'rule' | 'atMs'>[],
): Promise<void> {
  const rows = changes.map(({ enforcedFromMs, rule, atMs }) => {
    return `<tr><td>${isoTime(enforcedFromMs)}</td><td>${escapedHtml(rule)}</td><td>${isoTime(atMs)}</td></tr>`;
  });
  const head = '<thead><tr><th>Applies from</th><th>What changes</th><th>Announced</th></tr></thead>';
  const content =
    rows.length === 0
      ? '<p>No change of the requirements for offers is announced.</p>'
      : `<p>These changes of the requirements for offers are announced. Until their date, nothing changes. Times are in UTC.</p>
<table>${head}<tbody>${rows.join('\n')}</tbody></table>`;
  const text = plainPage('Changes schedule', './', `${content}\n<p><a href="./">Documentation</a></p>`);
  await sendRevalidated(message, response, HTML_TYPE, text);
}

async function sendRevalidated(message: IncomingMessage, response: ServerResponse, type: string, text: string) {
  if (isCached(message, response, entityTag(text), REVALIDATED)) return;
  await sendPage(message, response, type, text);
}

function startJson({ publicUrl, hasPortal, hasShop }: StartLinks): string {
  return JSON.stringify({
    api: publicUrl,
    openapi: `${publicUrl}/openapi.json`,
    docs: `${publicUrl}/docs/`,
    api_reference: `${publicUrl}/docs/api`,
    ...(hasPortal ? { portal: `${publicUrl}/portal/` } : {}),
    ...(hasShop ? { shop: `${publicUrl}/shop/` } : {}),
  });
}

/** The links of this page are relative, so that they work under any host name. */
function startHtml({ brand, publicUrl, hasPortal, hasShop }: StartLinks): string {
  const portal = '\n<li><a href="portal/">Portal</a><p>Manage offers, files and API keys in the browser.</p></li>';
  const shop = '\n<li><a href="shop/">Demo shop</a><p>The live offers, as a storefront shows them.</p></li>';
  return plainPage(
    brand,
    'docs/',
    `<p>The API is at <code>${escapedHtml(publicUrl)}</code>. Programs need a token from <code>POST /token</code>.</p>
<ul>
<li><a href="docs/">Documentation</a><p>Guides, tutorials and reference.</p></li>
<li><a href="docs/api">API reference</a><p>Every call, to read and to try.</p></li>
<li><a href="openapi.json">OpenAPI document</a><p>The API described for tools and code generators.</p></li>${hasPortal ? portal : ''}${hasShop ? shop : ''}
</ul>`,
  );
}

/** Swagger UI sets styles by script, which needs no permission. Its style sheet contains images as `data:` URLs. */
export const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HTML_ACCEPTED = /(?:^|,)\s*text\/html\s*(?:[;,]|$)/i;

/** Whether the client is a browser that shows a page, and not a program. */
export function acceptsHtml({ headers }: IncomingMessage): boolean {
  return HTML_ACCEPTED.test(headers.accept ?? '');
}

/** `docs` is the relative path to `/docs/`, so that the page works under any host name. `content` is HTML. */
export function plainPage(title: string, docs: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapedHtml(title)}</title>
<link rel="icon" href="${docs}assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${docs}assets/site.css">
<script src="${docs}assets/theme.js"></script>
</head>
<body>
<main id="content" class="start">
<h1>${escapedHtml(title)}</h1>
${content}
</main>
</body>
</html>
`;
}
