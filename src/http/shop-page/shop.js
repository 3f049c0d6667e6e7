/** Shows products of the demo, and follows the feed to stay current. Merchants' texts are inserted only as text nodes, never as HTML. */
const [search, status, connection, view] = document.querySelectorAll('#q, #status, #connection, #view');
const { currency } = document.documentElement.dataset;
const money = new Intl.NumberFormat('en-US', { style: 'currency', currency });
const PAGE = 24;
/** Prices as last shown, by the key of the offer. */
const prices = new Map();
let changes = [];
let pages = 1;
let isNew = true;
let loads = 0;
let shownText;

async function read(path) {
  const response = await fetch(`api/${path}`, { cache: 'no-cache' });
  const body = await response.json();
  if (response.ok) return { body, link: response.headers.get('link') ?? '' };
  throw Object.assign(new Error(body.errors[0]), { status: response.status });
}

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.flat().filter((child) => child !== null && child !== ''));
  return made;
}

const list = (name, kind, items) => (items.length === 0 ? null : element(name, { class: kind }, items));
const text = (content, kind = '') => (content ? element('p', { class: kind }, content) : null);
const many = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;
const linkTo = (code, title) => element('a', { href: `#p=${encodeURIComponent(code)}`, id: `p-${code}` }, title);

function image(url) {
  if (!/^https?:\/\//i.test(url ?? '')) return element('div', { class: 'image' });
  return element('img', { class: 'image', src: url, alt: '', loading: 'lazy', referrerpolicy: 'no-referrer' });
}

/** Under price policy 102, the price itself is only for signed-in customers, and this page has none. */
function priceLine(key, title, offer) {
  const price = money.format(offer.display_price);
  const isChanged = !isNew && prices.has(key) && prices.get(key) !== price;
  prices.set(key, price);
  if (isChanged) changes.push(`${title}: now ${price}`);
  const pack = offer.multipack_quantity > 1 ? ` for ${offer.multipack_quantity} items` : '';
  const note = offer.price_visibility === 'public' ? '' : ' Sign in for the price.';
  return text(`${price}${pack}${note}`, isChanged ? 'price changed' : 'price');
}

async function readList(words) {
  const products = [];
  let cursor;
  for (let page = 0; page < pages && cursor !== ''; page++) {
    const query = new URLSearchParams({ limit: PAGE, ...(words && { q: words }), ...(cursor && { cursor }) });
    const { body, link } = await read(`products?${query}`);
    products.push(...body.products);
    cursor = decodeURIComponent(/[?&]cursor=([^&>]+)/.exec(link)?.[1] ?? '');
  }
  return { title: words ? `Results for “${words}”` : 'Products', products, hasMore: cursor !== '' };
}

function listNodes({ title, products, hasMore }) {
  const cards = products.map(({ code, title, brand, images, best_offers }) => {
    const offers = best_offers.reduce((sum, { rank_of }) => sum + rank_of, 0);
    const best = best_offers.slice(0, 1).map((offer) => priceLine(code, title, offer));
    const lines = [text(brand, 'soft'), ...best, text(many(offers, 'offer'))];
    return element('li', {}, image(images[0]), element('h3', {}, linkTo(code, title)), lines);
  });
  const none = 'No products. Offers appear here as soon as they are live and in stock.';
  const more = element('button', { type: 'button', id: 'more' }, 'Show more');
  more.addEventListener('click', () => {
    pages++;
    open();
  });
  return [element('h2', {}, title), list('ul', 'products', cards) ?? text(none), hasMore ? more : null];
}

function productNodes(product) {
  const { title, brand, images, description, bullets, offers, variations, offer_count } = product;
  const others = variations.map((other) => element('li', {}, linkTo(other.code, other.title)));
  const features = bullets.map((bullet) => element('li', {}, bullet));
  return [
    element('p', {}, element('a', { href: '#' }, 'All products')),
    element('h2', {}, title),
    text(brand, 'soft'),
    image(images[0]),
    noticeNodes(product.notices),
    element('h3', {}, many(offer_count, 'offer')),
    list('ol', 'offers', offers.map(offerNode)),
    text(description),
    list('ul', 'features', features),
    others.length === 0 ? null : element('h3', {}, 'Variations'),
    list('ul', 'variations', others),
  ];
}

function offerNode(offer) {
  const { merchant_id, merchant_name, merchant_sku, shipping_at_least: adds } = offer;
  const lines = [
    `Rank ${offer.rank} of ${offer.rank_of}: ${offer.why}`,
    adds > 0 ? `Shipping adds at least ${money.format(adds)}` : 'Normal shipping charge',
    `${offer.quantity} in stock, returns within ${many(offer.return_days, 'day')}`,
  ].map((line) => text(line));
  const rules = offer.shipping_exceptions.map(({ rule, service_level, shipping_method, charge, amount }) => {
    const way = [service_level, shipping_method].filter(Boolean).join(', ');
    const cost = amount === null ? '' : `: ${money.format(amount)}${charge === 'surcharge' ? ' extra' : ''}`;
    return text(`${{ only: 'Ships only', never: 'Does not ship', charge: 'Shipping' }[rule]} by ${way}${cost}`, 'soft');
  });
  const price = priceLine(`${merchant_id}:${merchant_sku}`, merchant_name, offer);
  return element('li', {}, element('h3', {}, merchant_name), price, lines, rules);
}

function noticeNodes(notices) {
  const lines = [
    notices.prop_65 ? `WARNING (California Proposition 65): ${notices.prop_65_reasons ?? 'see the product'}` : null,
    notices.safety_warning,
    ...notices.cautionary_statements,
    notices.legal_disclaimer,
    notices.country_of_origin && `Country of origin: ${notices.country_of_origin}`,
  ].filter(Boolean);
  const items = lines.map((line) => element('li', {}, line));
  return list('ul', 'notices', items);
}

const changesText = () => changes.slice(0, 3).join('. ');

/** Reads what the address names, and shows it unless it is shown already or another load has begun. */
async function load() {
  const own = ++loads;
  const place = new URLSearchParams(location.hash.slice(1));
  const code = place.get('p');
  const reading = code === null ? readList(place.get('q') ?? '') : readProduct(code);
  const found = await reading.catch(messageOf);
  const foundText = JSON.stringify(found);
  if (own !== loads) return;
  if (!isNew && foundText === shownText) {
    // What was said last stays, in place of "Loading…".
    if (status.textContent !== changesText()) status.textContent = changesText();
    return;
  }
  changes = [];
  const nodes = found.products
    ? listNodes(found)
    : found.offers
      ? productNodes(found)
      : [element('h2', {}, found.title)];
  const focusedId = document.activeElement?.id;
  view.replaceChildren(...nodes.filter((node) => node !== null));
  if (focusedId) document.getElementById(focusedId)?.focus({ preventScroll: true });
  document.title = `${found.title} – Demo shop`;
  status.textContent = isNew ? found.title : changesText();
  shownText = foundText;
  isNew = false;
}

async function readProduct(code) {
  return (await read(`products/${encodeURIComponent(code)}`)).body;
}

/** A product without offers is gone and may come back, so the page keeps following. */
function messageOf(error) {
  if (error.status === 400 || error.status === 404) return { title: error.message };
  throw error;
}

function open() {
  search.value = new URLSearchParams(location.hash.slice(1)).get('q') ?? '';
  status.textContent = 'Loading…';
  load().catch((error) => {
    status.textContent = error.message;
    if (!isNew) return;
    const again = element('button', { type: 'button' }, 'Try again');
    again.addEventListener('click', open);
    view.replaceChildren(element('h2', {}, 'The page could not be loaded'), again);
  });
}

async function follow() {
  let after;
  for (let failures = 0; ; ) {
    try {
      const isStart = after === undefined;
      const wait = failures === 0 && !isStart ? 25 : 0;
      const { body } = await read(`events?after=${encodeURIComponent(after ?? 'latest')}&wait=${wait}`);
      after = body.next;
      // Also reads what changed while the page was not following.
      if (isStart || body.events.length > 0 || failures > 0) await load();
      failures = 0;
      connection.textContent = '';
    } catch (error) {
      failures++;
      // The cursor has expired, or belongs to another database.
      if (error.status < 500 && error.status !== 429) after = undefined;
      connection.textContent = 'Connection lost. Reconnecting…';
      await new Promise((resolve) => setTimeout(resolve, Math.min(10_000, 250 * 2 ** failures)));
    }
  }
}

document.querySelector('form').addEventListener('submit', (event) => {
  event.preventDefault();
  location.hash = search.value.trim() && new URLSearchParams({ q: search.value.trim() });
});
addEventListener('hashchange', () => {
  isNew = true;
  pages = 1;
  view.focus();
  open();
});
open();
follow();
