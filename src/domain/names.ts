/**
 * Translates between the names that an operator can set (white label) and their neutral counterparts.
 *
 * All code and all stored data use neutral names. Only the edge (request bodies, responses, messages, OpenAPI) uses the
 * configured ones, so renaming needs no migration.
 */
import { SHIPPING_METHODS, type ShippingMethod } from './vocabulary/shipping-methods.ts';
import { STATUSES, type Status } from './vocabulary/statuses.ts';

export interface NameSettings {
  /** Prefix of `marketplace_browse_node_id` and similar fields. */
  readonly marketplace: string;
  /** Prefix of `external_item_type_keyword`. */
  readonly external: string;
  /** The five carriers, starting with `<carrier_1>`. */
  readonly carriers: readonly string[];
  readonly reviewStatus: string;
  /** See compatibility.ts. */
  readonly availableStatus: string;
}

export const NEUTRAL_NAMES: NameSettings = Object.freeze({
  marketplace: 'marketplace',
  external: 'external',
  carriers: Object.freeze(['<carrier_1>', '<carrier_2>', '<carrier_3>', '<carrier_4>', '<carrier_5>']),
  reviewStatus: STATUSES.review,
  availableStatus: STATUSES.available,
});

const MARKETPLACE_FIELDS = [
  'marketplace_browse_node_id',
  'marketplace_file_id',
  'marketplace_node_id',
  'marketplace_node_name',
  'marketplace_node_path',
  'marketplace_level',
] as const;
const EXTERNAL_FIELDS = ['external_item_type_keyword'] as const;

/** The neutral names of fields that can be renamed. */
export const RENAMED_FIELDS: readonly string[] = [...MARKETPLACE_FIELDS, ...EXTERNAL_FIELDS];

export class Names {
  /** True when nothing is renamed, so that stored JSON can be sent unchanged. */
  readonly areNeutral: boolean;
  readonly settings: NameSettings;
  readonly #fields: ReadonlyMap<string, string>;
  readonly #methods: ReadonlyMap<string, string>;
  readonly #neutralMethods: ReadonlyMap<string, ShippingMethod>;
  /** The spelling of each status. */
  readonly statuses: Readonly<Record<Status, string>>;

  constructor(settings: NameSettings) {
    this.settings = settings;
    this.areNeutral = JSON.stringify(settings) === JSON.stringify(NEUTRAL_NAMES);
    this.#fields = new Map<string, string>([
      ...MARKETPLACE_FIELDS.map((field) => [field, field.replace('marketplace', settings.marketplace)] as const),
      ...EXTERNAL_FIELDS.map((field) => [field, field.replace('external', settings.external)] as const),
    ]);
    const spell = (method: ShippingMethod) =>
      method.replace(/<carrier_(\d)>/, (_whole, n: string) => settings.carriers[Number(n) - 1] ?? '');
    this.#methods = new Map(SHIPPING_METHODS.map((method) => [method, spell(method)]));
    this.#neutralMethods = new Map([
      ...SHIPPING_METHODS.map((method) => [method, method] as const),
      ...SHIPPING_METHODS.map((method) => [spell(method), method] as const),
    ]);
    this.statuses = { ...STATUSES, review: settings.reviewStatus, available: settings.availableStatus };
  }

  /** Returns the configured spelling of a field with a neutral name. */
  field(neutral: string): string {
    return this.#fields.get(neutral) ?? neutral;
  }

  method(neutral: string): string {
    return this.#methods.get(neutral) ?? neutral;
  }

  /** Returns the neutral name of a shipping method in either spelling; undefined if there is no such method. */
  neutralMethod(text: string): ShippingMethod | undefined {
    return this.#neutralMethods.get(text);
  }

  status(status: Status): string {
    return this.statuses[status];
  }
}
