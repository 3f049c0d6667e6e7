/** The parts of an offer and the outcomes of writes that several ports share. */

/** `unknown` and `archived` mean that nothing was changed. */
export type WriteOutcome = 'stored' | 'unknown' | 'archived';

export interface NodePrice {
  readonly fulfillment_node_id: string;
  readonly fulfillment_node_price: number;
}

export interface NodeQuantity {
  readonly fulfillment_node_id: string;
  readonly quantity: number;
}

export interface GroupUpload {
  /** JSON text of the list of attribute ids. */
  readonly refinements: string;
  readonly title: string | null;
  /** In the order sent, without the parent and without repetitions. */
  readonly childrenSkus: readonly string[];
}

/** A part of a long list, and where the next one starts; `next` is undefined behind the last. */
export interface RecordPage<T> {
  readonly records: readonly T[];
  readonly next: number | undefined;
}
