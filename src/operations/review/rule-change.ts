/**
 * Gates every change to the review's rules: estimates how many offers change their status, refuses a large change that
 * is not confirmed, and writes the note that allows an undo.
 */
import type { Environment } from '../../domain/account.ts';
import { LIMITS } from '../../domain/limits.ts';
import { accept, type Outcome, refuseRequest } from '../../domain/outcome.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { Policy } from '../../domain/review/policies.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { ChangeNote, Impact, Placeholder, StoredTaxonomy } from '../../store/port/settings.ts';

/** The rules after the proposed change. */
export type Proposal =
  /** `touched` is the policy that is added, removed or changed. */
  | { readonly kind: 'policies'; readonly policies: readonly Policy[]; readonly touched: Policy }
  | { readonly kind: 'placeholders'; readonly placeholders: readonly Placeholder[] }
  /** Null means the starter taxonomy. */
  | { readonly kind: 'taxonomy'; readonly taxonomy: Pick<StoredTaxonomy, 'parts'> | null }
  | {
      readonly kind: 'product';
      readonly environment: Environment;
      /** The product, and those that were merged into it. */
      readonly codes: readonly CatalogCode[];
      readonly product: Omit<KnownProduct, 'code'> | null;
    };

export interface GateOptions {
  /** Email address of the operator, API key, or `command line`. */
  readonly by: string;
  /** With `preview`, nothing is changed. */
  readonly mode: 'preview' | 'unconfirmed' | 'confirmed';
  readonly nowMs: () => number;
  /** When the change applies. Undefined: at once. */
  readonly enforcedFromMs?: number | undefined;
  /** Number of changes that are announced. */
  readonly announced?: number;
  /** Estimates the impact. If undefined, the change needs no confirmation. */
  readonly estimate?: (proposal: Proposal) => Promise<Impact>;
}

export class ChangeGate {
  readonly #options: GateOptions;
  /** The estimate of the last call of `pass`; null before that call, and if nothing is estimated. */
  impact: Impact | null = null;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Returns the note to store with the change, or `preview`. `act` and `subject` tell people what is changed. */
  async pass(act: string, subject: string, proposal: Proposal): Promise<Outcome<ChangeNote | 'preview'>> {
    const { by, mode, nowMs, enforcedFromMs, announced = 0, estimate } = this.#options;
    if (enforcedFromMs !== undefined && announced >= LIMITS.announced_changes_max) {
      return refuseRequest('announced_changes_full');
    }
    this.impact = (await estimate?.(proposal)) ?? null;
    if (mode === 'preview') return accept('preview');
    const { impact } = this;
    if (mode === 'unconfirmed' && impact !== null && impact.offers > LIMITS.unconfirmed_offers_max) {
      return refuseRequest('change_unconfirmed', unconfirmedText(impact));
    }
    const note = { atMs: nowMs(), by, act, subject, impact };
    return accept(enforcedFromMs === undefined ? note : { ...note, enforcedFromMs });
  }
}

/** The default gate, which estimates nothing. */
export function commandGate(): ChangeGate {
  return new ChangeGate({ by: 'command line', mode: 'confirmed', nowMs: Date.now });
}

function unconfirmedText({ offers, merchants, isExact, products }: Impact): string {
  if (products !== undefined) {
    const counted = products === 1 ? '1 product' : `${products} products`;
    return `This changes the best offer of ${counted}, and the rank of ${offers} offers. Confirm it with confirmed=true.`;
  }
  const about = isExact ? '' : 'about ';
  const sellers = merchants === 1 ? '1 merchant' : `${merchants} merchants`;
  return `This changes the status of ${about}${offers} offers of ${sellers}. Confirm it with confirmed=true.`;
}
