/** Port of the change history of offers. */
import type { Author } from '../../domain/author.ts';
import type { HistoryPart } from '../../domain/vocabulary/history-parts.ts';
import type { GroupUpload, NodePrice } from './offers.ts';

interface Changed<Part extends HistoryPart, Value> {
  readonly part: Part;
  readonly before: Value;
  readonly after: Value;
}

export interface NodeChange {
  readonly nodeId: string;
  readonly before: number | null;
  readonly after: number | null;
}

/** Null: there was, or is, none. */
type PartChange =
  /** JSON texts of the uploaded fields. */
  | Changed<'sku', string | null>
  | Changed<'price', { readonly price: number; readonly nodes: readonly NodePrice[] } | null>
  /** The nodes whose quantity one write changed. */
  | { readonly part: 'inventory'; readonly nodes: readonly NodeChange[] }
  | Changed<'archive', boolean>
  | Changed<'variation', GroupUpload | null>
  /** JSON texts of the list of nodes with their exceptions. */
  | Changed<'shipping_exceptions', string | null>
  | Changed<'returns_exceptions', readonly string[] | null>;

export type OfferChange = PartChange & { readonly atMs: number; readonly by: Author };

export interface HistoryPageRequest {
  /** The `next` of the page before; undefined for the first. */
  readonly after: number | undefined;
  readonly limit: number;
  /** What is older is not told, whether or not it was dropped already. */
  readonly sinceMs: number;
}

/** Newest first. A page may be shorter than was asked for, as documents are large; `next` is undefined behind the last. */
export interface HistoryPage {
  readonly changes: readonly OfferChange[];
  readonly next: number | undefined;
}

/**
 * Every write that changes a part of an offer records who changed it, when, and what it was before, in its own commit.
 * One that finds the part as it asks for records nothing. What it was after the change is what it was before the next
 * one, or is now. The rows of one file count as one change of a part: a file is recorded once for it, however many of its
 * rows change it, and whether or not they are written again after a crash.
 *
 * The group is a part of its parent alone. A change of it is also recorded for a parent that loses a child, or its whole
 * group, to another one.
 */
export interface HistoryStore {
  /** Undefined: the SKU was never uploaded. */
  readHistory(
    key: { readonly accountId: number; readonly skuId: string },
    page: HistoryPageRequest,
  ): Promise<HistoryPage | undefined>;
  /** Drops records from before `beforeMs`, for a few milliseconds, oldest first. */
  dropHistory(beforeMs: number): Promise<'more' | 'done'>;
}
