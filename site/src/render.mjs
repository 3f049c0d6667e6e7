// Renders one Markdown file: its HTML, its title and headings, the texts of its sections for the search, and the images it shows.

import path from 'node:path';
import hljs from 'highlight.js/lib/common';
import MarkdownIt from 'markdown-it';
import anchor from 'markdown-it-anchor';
import { addressOf, linkTo } from './addresses.mjs';

const LANGUAGES = { sh: 'bash', console: 'bash', ndjson: 'json', systemd: 'ini' };

/** Returns the same anchors as GitHub, so that a link with an anchor works there and here. */
function slug(text) {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

export function createRenderer(file, files) {
  const markdown = new MarkdownIt({ html: true, highlight });
  const headings = [];
  markdown.use(anchor, {
    slugify: slug,
    getTokensText: (tokens) => tokens.map(({ content }) => content).join(''),
    tabIndex: false,
    permalink: anchor.permalink.linkInsideHeader({
      symbol: '#',
      class: 'anchor',
      ariaHidden: true,
      renderAttrs: () => ({ tabindex: '-1' }),
    }),
    callback: (token, { slug: id, title }) => headings.push({ level: Number(token.tag.slice(1)), id, title }),
  });
  markdown.renderer.rules.table_open = () => '<div class="table"><table>\n';
  markdown.renderer.rules.table_close = () => '</table></div>\n';
  const images = new Set();
  markdown.core.ruler.push('addresses', ({ tokens }) => {
    const inline = tokens.flatMap(({ children }) => children ?? []);
    for (const [at, token] of inline.entries()) {
      if (token.type === 'image') images.add(path.posix.join(path.posix.dirname(file), token.attrGet('src')));
      if (token.type === 'link_open' && token.attrGet('class') !== 'anchor') relink(token, inline.slice(at));
    }
  });
  return {
    render(text) {
      const tokens = markdown.parse(text, {});
      const rendered = markdown.renderer.render(tokens, markdown.options, {});
      // Makes code blocks focusable, so that the keyboard can scroll them.
      const html = rendered.replaceAll('<pre><code', '<pre tabindex="0"><code');
      return { html, title: headings[0]?.title ?? file, headings, sections: sectionsOf(tokens, file), images };
    },
  };

  /** A link to a file outside docs/ works only in the repository; on the site it is plain text. */
  function relink(token, following) {
    const link = token.attrGet('href');
    if (/^(?:[a-z]+:|#)/.test(link)) return;
    const [name, id] = link.split('#');
    const linked = path.posix.join(path.posix.dirname(file), name);
    const found = [linked, `${linked}/README.md`].find((candidate) => files.includes(candidate));
    if (found === undefined) {
      const end = following.find(({ type }) => type === 'link_close');
      for (const tag of [token, end]) {
        tag.tag = 'span';
        tag.attrs = null;
      }
    } else {
      token.attrSet('href', `${linkTo(file, addressOf(found))}${id === undefined ? '' : `#${id}`}`);
    }
  }
}

function highlight(code, info) {
  const language = LANGUAGES[info] ?? info;
  return hljs.getLanguage(language) === undefined ? '' : hljs.highlight(code, { language }).value;
}

/** Returns the sections that the search finds: the text between two headings. */
function sectionsOf(tokens, file) {
  const sections = [];
  for (const [at, token] of tokens.entries()) {
    const previous = tokens[at - 1];
    if (previous?.type === 'heading_open') {
      const heading = plain(token);
      const page = sections[0]?.heading ?? heading;
      const id = previous.tag === 'h1' ? '' : `#${previous.attrGet('id')}`;
      sections.push({ address: `${addressOf(file)}${id}`, page, heading, text: '' });
    } else if (sections.length > 0 && (token.type === 'inline' || token.type === 'fence')) {
      sections.at(-1).text += `${token.type === 'inline' ? plain(token) : token.content.trim()}\n`;
    }
  }
  return sections;
}

function plain({ children }) {
  const texts = children.map(({ type, content }) => {
    if (type === 'softbreak') return ' ';
    return type === 'text' || type === 'code_inline' ? content : '';
  });
  return texts.join('').trim();
}
