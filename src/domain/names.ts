/**
 * In charge of the white label: the names that an operator may set, and their neutral twins.
 *
 * Everything inside Offerbook, and everything stored, is in the neutral spelling; only the edge (bodies coming in,
 * answers going out, messages, OpenAPI) speaks the set names. So renaming needs no migration.
 */
import { SHIPPING_METHODS, type ShippingMethod } from './vocabulary/shipping-methods.ts';
import { STATUSES, type Status } from './vocabulary/statuses.ts';

export interface NameSettings {
  /** First part of `marketplace_browse_node_id` and its kin. */
  readonly marketplace: string;
  /** First part of `external_item_type_keyword`. */
  readonly external: string;
  /** The five carriers, `<carrier_1>` first. */
  readonly carriers: readonly string[];
  readonly reviewStatus: string;
}

export const NEUTRAL_NAMES: NameSettings = Object.freeze({
  marketplace: 'marketplace',
  external: 'external',
  carriers: Object.freeze(['<carrier_1>', '<carrier_2>', '<carrier_3>', '<carrier_4>', '<carrier_5>']),
  reviewStatus: STATUSES.review,
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

/** In their neutral spelling. */
export const RENAMED_FIELDS: readonly string[] = [...MARKETPLACE_FIELDS, ...EXTERNAL_FIELDS];

export class Names {
  /** True when nothing is renamed: stored JSON can go out as it is. */
  readonly areNeutral: boolean;
  readonly settings: NameSettings;
  readonly #fields: ReadonlyMap<string, string>;
  readonly #methods: ReadonlyMap<string, string>;
  readonly #neutralMethods: ReadonlyMap<string, ShippingMethod>;
  readonly #reviewStatus: string;

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
    this.#reviewStatus = settings.reviewStatus;
  }

  /** How a field, named neutrally, is spelled at the edge. */
  field(neutral: string): string {
    return this.#fields.get(neutral) ?? neutral;
  }

  method(neutral: string): string {
    return this.#methods.get(neutral) ?? neutral;
  }

  /** The neutral twin of a method in either spelling; undefined for what is no method. */
  neutralMethod(text: string): ShippingMethod | undefined {
    return this.#neutralMethods.get(text);
  }

  status(status: Status): string {
    return status === 'review' ? this.#reviewStatus : STATUSES[status];
  }
}
