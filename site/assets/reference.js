// Adds to Swagger UI: a list of all calls with a filter, code for each call, and folded fields and headers.
import { exampleRequest, LANGUAGES } from './code-samples.js';

/** With more fields than this, a schema shows the required ones and folds the others. */
const FIELDS_SHOWN_MAX = 12;
const HIGHLIGHTED = Object.freeze({ curl: 'bash', TypeScript: 'javascript', Python: 'python' });

/** `openApi` returns the document that is shown. */
export function referencePlugin(openApi) {
  return {
    fn: {
      opsFilter: filterCalls,
      requestSnippetGenerator_typescript: (request) => LANGUAGES.TypeScript(sentRequest(request)),
      requestSnippetGenerator_python: (request) => LANGUAGES.Python(sentRequest(request)),
    },
    wrapComponents: {
      responses: (Responses, system) => withCode(Responses, system, openApi),
      headers: withFold,
      JSONSchema202012KeywordProperties: withFoldedFields,
    },
    // `showLinkedCall` replaces it, because it fails for calls that are not drawn yet.
    statePlugins: { layout: { wrapActions: { parseDeepLinkHash: () => () => ({ type: 'unused' }) } } },
  };
}

/** Converts a request that was sent. */
function sentRequest(request) {
  const body = request.get('body');
  return {
    url: request.get('url'),
    method: request.get('method'),
    headers: [...(request.get('headers')?.entries() ?? [])],
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  };
}

/** Shows code for the example of a call above its responses. */
function withCode(Responses, { React, getComponent }, openApi) {
  const { createElement: create, useState } = React;
  const HighlightCode = getComponent('HighlightCode', true);
  const Code = ({ path, method }) => {
    const [chosen, choose] = useState('curl');
    const tabs = Object.keys(LANGUAGES).map((language) => {
      const props = { type: 'button', 'aria-pressed': language === chosen, onClick: () => choose(language) };
      return create('button', { key: language, ...props }, language);
    });
    const text = LANGUAGES[chosen](exampleRequest(openApi(), path, method));
    const code = create(HighlightCode, { language: HIGHLIGHTED[chosen], canCopy: true }, text);
    return create('div', { className: 'code-samples' }, create('div', { className: 'code-tabs' }, ...tabs), code);
  };
  return (props) => create('div', null, create(Code, props), create(Responses, props));
}

function withFold(Headers, { React: { createElement: create } }) {
  return (props) => create('details', null, create('summary', null, 'Headers'), create(Headers, props));
}

/** Shows the required fields of a long schema first. */
function withFoldedFields(Properties, { React: { createElement: create } }) {
  return ({ schema }) => {
    const { properties = {}, required = [] } = schema;
    const fields = Object.entries(properties);
    if (fields.length <= FIELDS_SHOWN_MAX || required.length === 0) return create(Properties, { schema });
    const part = (isRequired) => {
      const own = Object.fromEntries(fields.filter(([name]) => required.includes(name) === isRequired));
      return create(Properties, { schema: { ...schema, properties: own } });
    };
    const summary = create('summary', null, `${fields.length - required.length} optional fields`);
    return create('div', null, part(true), create('details', null, summary, part(false)));
  };
}

/** Whether the texts have all words that the reader typed. */
function isMatch(typed, ...texts) {
  const text = texts.join(' ').toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function filterCalls(groups, typed) {
  const isShown = (tag, call) =>
    isMatch(typed, tag, call.get('method'), call.get('path'), call.getIn(['operation', 'summary']));
  return groups
    .map((group, tag) => group.update('operations', (calls) => calls.filter((call) => isShown(tag, call))))
    .filter((group) => group.get('operations').size > 0);
}

/** Lists the calls by tag next to the reference, with a filter for both, and shows the call that the address names. */
export function listCalls(ui, { paths, tags }) {
  const nav = document.getElementById('calls');
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
  const groups = tags.map(({ name }) => {
    const heading = element('h2', name);
    const items = calls.filter((call) => call.tags[0] === name).map((call) => callItem(name, call));
    const list = element('ul', '');
    list.append(...items.map(({ item }) => item));
    nav.append(heading, list);
    return { heading, items };
  });
  nav.querySelector('input').addEventListener('input', ({ target }) => {
    const typed = target.value.trim();
    ui.layoutActions.updateFilter(typed);
    document.body.classList.toggle('is-filtered', typed !== '');
    for (const { heading, items } of groups) {
      for (const { item, texts } of items) item.hidden = !isMatch(typed, ...texts);
      heading.hidden = items.every(({ item }) => item.hidden);
    }
  });
  addEventListener('hashchange', () => showLinkedCall(ui));
  showLinkedCall(ui);
}

function callItem(tag, { path, method, operationId, summary }) {
  const link = element('a', '');
  link.href = `#/${encodeURIComponent(tag)}/${operationId}`;
  link.title = path;
  link.append(element('b', method), element('span', summary));
  const item = element('li', '');
  item.append(link);
  return { item, texts: [tag, method, path, summary] };
}

function element(name, textContent) {
  return Object.assign(document.createElement(name), { textContent });
}

/** The address of a call ends with `#/Tag/id`. */
function showLinkedCall({ layoutActions }) {
  const [, tag, id] = decodeURIComponent(location.hash).split('/');
  if (id === undefined) return;
  layoutActions.show(['operations-tag', tag], true);
  layoutActions.show(['operations', tag, id], true);
  // Swagger UI draws the call in a later tick.
  requestAnimationFrame(() => document.querySelector(`.opblock[id$="-${CSS.escape(id)}"]`)?.scrollIntoView());
}
