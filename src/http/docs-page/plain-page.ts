/** Builds the pages that the server writes itself, in the style of the documentation: the start page and "page not found". */
import type { IncomingMessage } from 'node:http';
import { escapedHtml } from './fill.ts';

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
