/** Generates the docs pages that come from the code. */
import path from 'node:path';
import { readSettings, SETTINGS } from '../src/config/settings.ts';
import { shownSettings } from '../src/config/shown-settings.ts';
import { LIMITS } from '../src/domain/limits.ts';
import {
  API_PROBLEM_CODES,
  COMMAND_PROBLEM_CODES,
  PORTAL_PROBLEM_CODES,
  type ProblemCode,
} from '../src/domain/problem.ts';
import type { TaxonomyTree } from '../src/domain/taxonomy/tree.ts';
import { SERVICE_LEVELS, type ServiceLevel } from '../src/domain/vocabulary/service-levels.ts';
import { RETURN_SHIPPING_METHODS, SHIPPING_METHODS } from '../src/domain/vocabulary/shipping-methods.ts';
import { problemStatus } from '../src/http/answers/problem-status.ts';
import { readStarter } from '../src/taxonomy/read-stored.ts';
import { SPACING_SECONDS } from '../src/telemetry/event-log.ts';
import { EVENT_NAMES, EVENTS, isSpaced } from '../src/telemetry/events.ts';
import { METRICS } from '../src/telemetry/metric-table.ts';
import { csvColumnsPage } from './csv-columns-page.ts';
import { page, table } from './markdown.ts';
import { skuFieldsPage } from './sku-fields-page.ts';
import { statusesPage } from './statuses-page.ts';

export const ROOT = path.resolve(import.meta.dirname, '..');

/** Returns the text of each page by file name, relative to the root. */
export function generatedDocs(): Map<string, string> {
  return new Map([
    ['docs/reference/errors.md', errorsPage()],
    ['docs/reference/sku-fields.md', skuFieldsPage()],
    ['docs/reference/csv-columns.md', csvColumnsPage()],
    ['docs/reference/limits.md', limitsPage()],
    ['docs/operate/metrics.md', metricsPage()],
    ['docs/reference/taxonomy.md', taxonomyPage()],
    ['docs/reference/statuses.md', statusesPage()],
    ['docs/reference/shipping.md', shippingPage()],
    ['docs/operate/settings.md', settingsPage()],
  ]);
}

function errorsPage(): string {
  return page(
    '# Errors',
    'Every error response is `{"errors": [sentence, ...], "details": [{"code", "field", "message"}, ...]}`. ' +
      '`field` is a JSON pointer into the body, or empty if the problem is not in the body. Codes are stable: they ' +
      'are never renamed and never reused.',
    'An upload without a category is accepted. What the original API calls the error `MissingCategory` is the sub-status ' +
      '`Missing category` here, with the review code [`missing_category`](statuses.md#missing_category).',
    codesTable(API_PROBLEM_CODES),
    '## In the portal',
    "The portal's calls return errors in the same format, with the codes above and those below. Some of these also " +
      'appear on the command line.',
    codesTable(PORTAL_PROBLEM_CODES),
    '## On the command line only',
    'With `--json` the command line writes errors in the same format to standard error. It uses some of the codes above ' +
      'and the codes below. The exit code is 2 for `usage_wrong` and 1 for all others.',
    table(
      ['code', 'meaning'],
      Object.entries(COMMAND_PROBLEM_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
  );
}

function codesTable(codes: Readonly<Record<string, string>>): string {
  return table(
    ['code', 'status', 'meaning'],
    Object.entries(codes).map(([code, meaning]) => [
      `\`${code}\``,
      String(problemStatus(code as ProblemCode)),
      meaning,
    ]),
  );
}

/** Limits that apply to merchants and that operators set. */
const SET_LIMITS = [
  SETTINGS.requestsPerMinute,
  SETTINGS.dryRunsPerMinute,
  SETTINGS.marketplaceRequestsPerMinute,
  SETTINGS.fileBytesMax,
  SETTINGS.fileUnpackedBytesMax,
  SETTINGS.filesWaitingBytesMax,
  SETTINGS.filesKeptBytesMax,
  SETTINGS.uploadTimeout_seconds,
  SETTINGS.requestTimeout_seconds,
  SETTINGS.headerBytesMax,
  SETTINGS.history_days,
  SETTINGS.historyBytesMax,
];

/** Limits that apply to clients of the API, with their meanings, by the heading of the page. The unit is part of the name. */
const CLIENT_LIMITS: Readonly<Record<string, Readonly<Partial<Record<keyof typeof LIMITS, string>>>>> = {
  'Requests and bodies': {
    body_bytes_max: 'Body of a call, and row of a bulk file.',
    open_body_bytes_max: 'Body of `POST /token`.',
    body_depth_max: 'Levels of nesting in a body.',
    body_values_max: 'Commas and opening brackets in a body, outside strings.',
    object_fields_max: 'Fields of one JSON object.',
    idempotency_key_characters_max: '`Idempotency-Key` header.',
    idempotency_key_hours: 'Time for which an `Idempotency-Key` and its response are kept.',
  },
  'Texts, lists and numbers of an offer': {
    sku_id_characters_max: 'SKU id.',
    sku_id_encoded_characters_max: 'SKU id in the path, percent-encoded.',
    product_title_characters_min: 'Minimum length of `product_title`.',
    product_title_characters_max: '`product_title`.',
    brand_characters_max: '`brand`.',
    manufacturer_characters_max: '`manufacturer`.',
    product_description_characters_max: '`product_description`.',
    mfr_part_number_characters_max: '`mfr_part_number`.',
    bullet_characters_max: 'One entry of `bullets`, `included_bullets` and `not_included_bullets`.',
    bullets_max: 'Entries of `bullets`.',
    included_bullets_max: 'Entries of `included_bullets`, and of `not_included_bullets`.',
    cautionary_statements_max: 'Entries of `cpsia_cautionary_statements`.',
    country_of_origin_characters_max: '`country_of_origin`.',
    safety_warning_characters_max: '`safety_warning`.',
    attribute_value_characters_max: '`attribute_value`.',
    attributes_max: 'Entries of `attributes_node_specific`.',
    alternate_images_max: 'Entries of `alternate_images`, and the highest slot number.',
    standard_product_codes_max: 'Entries of `standard_product_codes`.',
    multipack_quantity_max: '`multipack_quantity`.',
    url_characters_max: 'Every URL in a body.',
    text_characters_max: 'Every other text.',
    long_text_characters_max: '`prop_65_reasons` and `legal_disclaimer_description`.',
    amount_min: 'Minimum of every price, weight and size. A shipping charge may be 0.',
    amount_max: 'Every price, weight and size.',
    count_max: 'Every quantity.',
    fulfillment_nodes_max: 'Entries of `fulfillment_nodes` in one body.',
    shipping_exceptions_per_node_max: 'Shipping exceptions of a SKU at one node.',
    return_location_ids_max: 'Entries of `return_location_ids`.',
    children_skus_max: 'Entries of `children_skus`.',
    variation_refinements_max: 'Entries of `variation_refinements`.',
    shoe_group_listed_max: 'Shoes of one group that a review lists.',
    image_check_pause_seconds: 'Minimum pause between requested re-checks of an image.',
  },
  'Accounts and keys': {
    fulfillment_nodes_per_account_max: 'Fulfillment nodes of one account.',
    return_locations_per_account_max: 'Return locations of one account.',
    credentials_per_account_max: 'Active API keys of one account; rolled ones count until they expire.',
    credential_name_characters_max: 'Name of an API key.',
    credential_overlap_seconds_max: 'Time for which old keys still work after they are rolled.',
    setup_notice_seconds_max: 'Time until a running server uses changed account settings.',
    token_lifetime_seconds: 'Time for which a token works.',
    request_window_seconds: 'Window in which requests and wrong secrets are counted.',
    token_failures_per_window_max:
      'Wrong secrets in the window for one user from one client (an IPv4 address or an IPv6 /64 network), in one process of the server.',
    token_failures_per_client_max: 'Wrong secrets in the window from one client, in one process of the server.',
  },
  'Lists and searches': {
    list_limit_default: 'Entries on a page of a list if `limit` is not sent.',
    list_limit_max: '`limit` of a list.',
    taxonomy_search_characters_max: '`q` of `GET /taxonomy/search`.',
    taxonomy_search_words_max: 'Words in `q`.',
    taxonomy_search_limit_default: 'Categories that a search returns if `limit` is not sent.',
    taxonomy_search_limit_max: '`limit` of a search.',
  },
  'Bulk files and reports': {
    signed_link_seconds: 'Time for which the signed URL of an upload, error file, retry file or report works.',
    file_name_characters_max: '`file_name` of a bulk file.',
    file_retention_days: 'Time for which bulk files, their records and errors, and records of reports are kept.',
    undo_rows_max: 'Rows of a bulk file that can be undone.',
    undo_named_max: 'Skipped offers that the response of an undo names.',
    report_lifetime_days: 'Time for which a report can be downloaded.',
    upload_lifetime_days: 'Time to submit an upload, counted from the request for its URL.',
    reports_waiting_max: 'Pending reports of one account.',
    plan_offers_max: 'Offers of a plan.',
    plan_minutes: 'Time for which a plan can be applied.',
    plans_per_hour_max: 'Plans that an account makes in an hour.',
    plan_bytes_max: 'Size of what a plan shows and writes, as JSON.',
    plan_examined_max: 'Offers that one price change of a plan reads to find those that match.',
    plans_kept_max: 'Plans of an account that are kept, for up to 30 days.',
    tool_page_max: 'Entries in the result of a tool for agents.',
    tool_result_characters_max: 'Characters in the result of a tool for agents.',
    uploads_at_once_max: 'Uploads in progress for one account in one process of the server.',
  },
  'Events and webhooks': {
    event_days: 'How long events are kept.',
    webhooks_max: 'Webhooks of one account.',
    webhook_in_flight_max: 'Messages that are in flight to one webhook at the same time.',
    webhook_batch_events_max: 'Events in one webhook message with batches.',
    webhook_batch_bytes_max:
      'Length of the events in one webhook message with batches, unless a single event is longer.',
    webhook_retry_days: 'How long a failed webhook message is retried.',
    webhook_overlap_seconds_max: '`overlap_seconds` of a replaced webhook secret.',
    webhook_secrets_max: 'Secrets of one webhook that are valid at the same time, during an overlap.',
    webhook_deliveries_max: 'Deliveries in the log of a webhook.',
    webhook_changes_per_hour_max: 'Webhook changes by one account in an hour, in one process of the server.',
    event_page_max: 'Events in one response of `GET /events`.',
    event_changes_page_max: 'Events in one response with `include=changes`.',
    event_changes_page_characters_max: 'Values before and after the changes in one response with `include=changes`.',
    event_value_characters_max: 'Value of a part, before or after a change, that an event can show.',
    event_change_nodes_max: 'Fulfillment nodes whose stock changed in one event that shows its changes.',
    event_stock_bytes_max:
      'Stock records of an offer that are read to find the quantities for one page of events with changes.',
    event_wait_seconds_max: '`wait` of `GET /events`.',
    event_waits_max: 'Requests of one account that wait for events at the same time, in one process of the server.',
  },
};

function withUnit(name: string, value: number): string {
  const unit = /_(bytes|characters|seconds|hours|days)(?:_|$)/.exec(name)?.[1] ?? '';
  return `${value.toLocaleString('en-US')} ${value === 1 ? unit.slice(0, -1) : unit}`.trimEnd();
}

function limitsPage(): string {
  const defaults = shownSettings(readSettings({}));
  return page(
    '# Limits',
    'A request beyond a limit is refused with 400 (429 for too many requests), and nothing is stored. Characters are Unicode ' +
      'code points. Values are maximums unless the meaning says otherwise.',
    ...Object.entries(CLIENT_LIMITS).flatMap(([heading, limits]) => [
      `## ${heading}`,
      table(
        ['limit', 'value', 'meaning'],
        Object.entries(limits).map(([name, meaning]) => [
          `\`${name}\``,
          withUnit(name, LIMITS[name as keyof typeof LIMITS]),
          meaning,
        ]),
      ),
    ]),
    '## Limits that the operator sets',
    table(
      ['setting', 'value', 'meaning'],
      SET_LIMITS.map(({ name, meaning }) => [
        `\`${name}\``,
        `<!-- setting: ${name} -->${defaults.get(name)}<!-- end -->`,
        meaning,
      ]),
    ),
  );
}

function metricsPage(): string {
  return page(
    '# Metrics and log',
    'If `METRICS_PORT` is set, `http://127.0.0.1:METRICS_PORT/metrics` serves these metrics in the Prometheus text format, ' +
      'on the loopback address only. Label values come from the route list and the tables here, never from clients. ' +
      'With `serve --processes`, each process has its own page at `METRICS_PORT` plus its number (1, 2, …): scrape all ' +
      'of them. [deploy.md](deploy.md) says what to watch.',
    table(
      ['metric', 'type', 'labels', 'meaning'],
      Object.values(METRICS).map(({ name, type, labels, help }) => [`\`${name}\``, type, labels.join(', '), help]),
    ),
    '## Events',
    'The log and the metrics show the same events. Each event is a JSON line on standard error (readable text on a ' +
      'terminal) with `level`, `time`, `event`, its fields and `message`. `LOG_LEVEL` sets the lowest level that is ' +
      'written. With several processes, `worker` is the number of the process; 0 is the one that started the others. ' +
      `A rate-limited event is logged at its first occurrence and then at most once in ${SPACING_SECONDS} seconds, with the ` +
      'count in `times`, so that clients cannot fill the disk. Log lines never contain headers, bodies, secrets or tokens.',
    table(
      ['event', 'level', 'rate-limited', 'counted as', 'message'],
      EVENT_NAMES.map((name) => {
        const { level, limit, message } = EVENTS[name];
        const counted = limit === undefined ? '' : `limit \`${limit}\``;
        return [`\`${name}\``, level, isSpaced(name) ? 'yes' : '', counted, message];
      }),
    ),
  );
}

/** The topmost nodes whose products need no code. */
function withoutCodes({ nodes }: Pick<TaxonomyTree, 'nodes'>): string {
  const exempt = new Set(nodes.flatMap(({ id, needsCode }) => (needsCode ? [] : id)));
  return nodes
    .filter(({ id, parentId }) => exempt.has(id) && (parentId === null || !exempt.has(parentId)))
    .map(({ name }) => name)
    .join(', ');
}

/** The topmost nodes that require data of new products, with the fields. */
function withData({ nodes }: Pick<TaxonomyTree, 'nodes'>): string {
  const own = nodes.filter(({ newProductData: data, parentId }) => {
    return data !== null && nodes.find(({ id }) => id === parentId)?.newProductData !== data;
  });
  return own
    .map(({ name, newProductData }) => `${name} (${newProductData?.map((it) => `\`${it}\``).join(', ')})`)
    .join(', ');
}

function taxonomyPage(): string {
  const { tree } = readStarter();
  const attributes = new Map(
    tree.nodes.flatMap(({ id }) => tree.attributes(id).map(({ attribute }) => [attribute.id, attribute])),
  );
  return page(
    '# Starter taxonomy',
    'This page lists the nodes that `marketplace_browse_node_id` may name until an operator imports another taxonomy ' +
      '([its format](taxonomy-format.md)). An offer needs a leaf; the ids never change. The leaves of Shoes are also ' +
      'the values of `product_type_id` in `PUT /merchant-skus/{sku}/v2`. Required attributes are **bold**.',
    'Fashion has these requirements: clothing needs a size and a [variation group](../guides/variations.md), and [shoes](../guides/shoes.md) ' +
      'need Collection and Style, which group them. Hats and gloves need a size. ' +
      'Shoe Size is optional.',
    `Every category asks for a product code other than an ASIN ([its rule](taxonomy-format.md)), except ${withoutCodes(tree)}. ` +
      `Products that the catalog does not know need more data in ${withData(tree)}.`,
    table(
      ['id', 'node', 'leaf', 'suggested tax code', 'attributes'],
      tree.nodes.map((node) => [
        String(node.id),
        `${'· '.repeat(node.level)}${node.name}`,
        node.isLeaf ? 'yes' : '',
        node.isLeaf ? (node.suggestedTaxCode ?? '') : '',
        node.isLeaf
          ? tree
              .attributes(node.id)
              .map(({ attribute, required }) => (required ? `**${attribute.description}**` : attribute.description))
              .join(', ')
          : '',
      ]),
    ),
    '## Attributes',
    table(
      ['id', 'attribute', 'variant', 'allowed values', 'units'],
      [...attributes.values()]
        .toSorted((one, other) => Number(one.id) - Number(other.id))
        .map(({ id, description, variant, dataType, values, units, min, max }) => [
          String(id),
          description,
          variant ? 'yes' : '',
          values.length > 0
            ? values.join(', ')
            : dataType === 'text'
              ? 'any text'
              : `${dataType} from ${min} to ${max}`,
          units.join(', '),
        ]),
    ),
  );
}

const LEVEL_MEANINGS: Readonly<Record<ServiceLevel, string>> = {
  'Second Day': 'Delivery in two days.',
  'Next Day': 'Delivery on the next day.',
  Priority: 'Faster than Standard. No number of days is promised.',
  Expedited: 'Faster than Standard. No number of days is promised.',
  Standard: 'The usual speed. No number of days is promised.',
  'Scheduled (freight)': 'Freight delivery in 5 to 10 days.',
  '5 to 10 Day': 'Ground delivery in 5 to 10 days.',
  '11 to 20 Day': 'Ground delivery in 11 to 20 days.',
  '21 to 30 Day': 'Ground delivery in 21 to 30 days.',
  'Scheduled (freight 11 to 20 day)': 'Freight delivery in 11 to 20 days.',
  'Scheduled (freight 21 to 30 day)': 'Freight delivery in 21 to 30 days.',
};

function shippingPage(): string {
  const list = (items: readonly string[]) => items.map((item) => `- \`${item}\``).join('\n');
  return page(
    '# Shipping',
    'These are the values that offers, fulfillment nodes and returns may name. Send them exactly as they are written here.',
    '## Shipping methods',
    list(SHIPPING_METHODS),
    '## Service levels',
    'A service level says how fast an order arrives, with any carrier. A [shipping exception](../guides/exceptions.md) may name a level, a ' +
      'method or both.',
    table(
      ['service level', 'what buyers may expect'],
      SERVICE_LEVELS.map((level) => [`\`${level}\``, LEVEL_MEANINGS[level]]),
    ),
    '## Return shipping methods',
    list(RETURN_SHIPPING_METHODS),
  );
}

function settingsPage(): string {
  const shown = shownSettings(readSettings({}));
  // A size is set in bytes, but shown in GiB.
  const sizeOf = (name: string) => (name.includes('_BYTES_') ? ` (${shown.get(name)})` : '');
  return page(
    '# Settings',
    'Settings are environment variables, or lines of a [configuration file](deploy.md#install). The server does not start ' +
      'with an invalid value or with an unknown name in the file; the error names the setting. An unknown environment variable is ' +
      'an error only if its name starts with `OFFERBOOK_`: a misspelled `LOGLEVEL=debug` has no effect.',
    table(
      ['setting', 'default', 'meaning'],
      Object.values(SETTINGS).map(({ name, fallback, meaning }) => [
        `\`${name}\``,
        fallback === '' ? '' : `\`${fallback}\`${sizeOf(name)}`,
        meaning,
      ]),
    ),
  );
}
