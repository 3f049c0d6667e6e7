/**
 * Writes to offers as they wait to be written together, and how those that arrived together become few statements without
 * changing their order for any SKU.
 *
 * A statement writes one kind for many SKUs, each once. Writes of one kind and one author that follow each other on a SKU are
 * folded into one, and told as one change; a write of another kind goes into a later wave. Waves are run one after the other;
 * within one, no two statements touch the same SKU, so that their order does not matter.
 */
import type { Author } from '../../../domain/author.ts';
import type { GroupUpload, NodePrice, NodeQuantity } from '../../port/offers.ts';

/** Whom the history names, and when. */
export interface Attribution {
  readonly by: Author;
  readonly atMs: number;
}

/** One command on the row of one SKU. */
export type RowWrite = Attribution & RowChange;

type RowChange =
  | {
      readonly kind: 'document';
      readonly skuId: string;
      readonly document: string;
      /** Of the first of the uploads that are written as one. */
      readonly firstMs: number;
      readonly updatedMs: number;
    }
  | {
      readonly kind: 'price';
      readonly skuId: string;
      readonly price: number;
      /** JSON text of the node prices. */
      readonly nodes: string;
      readonly updatedMs: number;
    }
  | {
      readonly kind: 'inventory';
      readonly skuId: string;
      readonly nodes: ReadonlyMap<string, { readonly quantity: number; readonly updatedMs: number }>;
    }
  | { readonly kind: 'shipping'; readonly skuId: string; readonly exceptions: string | null }
  /** JSON text of the list. */
  | { readonly kind: 'returns'; readonly skuId: string; readonly locationIds: string | null }
  | { readonly kind: 'archive'; readonly skuId: string; readonly nowMs: number }
  | { readonly kind: 'unarchive'; readonly skuId: string; readonly nowMs: number };

export type RowKind = RowWrite['kind'];

/** A write of several rows, which needs a transaction of its own. */
export interface GroupWrite extends Attribution {
  readonly kind: 'group';
  readonly skuId: string;
  readonly group: GroupUpload;
}

export type OfferWrite = RowWrite | GroupWrite;

type WriteOf<Kind extends RowKind> = Extract<RowWrite, { readonly kind: Kind }>;

export function documentWrite(skuId: string, document: string, told: Attribution): WriteOf<'document'> {
  return { kind: 'document', skuId, document, firstMs: told.atMs, updatedMs: told.atMs, ...told };
}

export function priceWrite(
  skuId: string,
  { price, nodes }: { readonly price: number; readonly nodes: readonly NodePrice[] },
  told: Attribution,
): WriteOf<'price'> {
  const nodesText = nodes.length === 0 ? '[]' : JSON.stringify(nodes);
  return { kind: 'price', skuId, price, nodes: nodesText, updatedMs: told.atMs, ...told };
}

export function inventoryWrite(
  skuId: string,
  quantities: readonly NodeQuantity[],
  told: Attribution,
): WriteOf<'inventory'> {
  const nodes = new Map(
    quantities.map(({ fulfillment_node_id, quantity }) => [fulfillment_node_id, { quantity, updatedMs: told.atMs }]),
  );
  return { kind: 'inventory', skuId, nodes, ...told };
}

export function returnsWrite(
  skuId: string,
  locationIds: readonly string[] | null,
  told: Attribution,
): WriteOf<'returns'> {
  return { kind: 'returns', skuId, locationIds: locationIds === null ? null : JSON.stringify(locationIds), ...told };
}

export interface WaveRow {
  /** What the folded writes come to. */
  write: RowWrite;
  /** Where those writes stand among the ones given; each is answered. */
  readonly places: number[];
}

/** For each kind its rows, each SKU once. */
export type Wave = ReadonlyMap<RowKind, readonly WaveRow[]>;

export function wavesOf(writes: readonly RowWrite[]): Wave[] {
  const waves: Map<RowKind, WaveRow[]>[] = [];
  const lastOfSku = new Map<string, { readonly row: WaveRow; readonly wave: number }>();
  writes.forEach((write, place) => {
    const last = lastOfSku.get(write.skuId);
    if (last !== undefined && last.row.write.kind === write.kind && last.row.write.by === write.by) {
      last.row.write = folded(last.row.write, write);
      last.row.places.push(place);
      return;
    }
    const wave = last === undefined ? 0 : last.wave + 1;
    const row: WaveRow = { write, places: [place] };
    addRow(waves, wave, row);
    lastOfSku.set(write.skuId, { row, wave });
  });
  for (const wave of waves) {
    // All processes write in one order of SKUs, so that two of them do not each wait for a row that the other has.
    for (const rows of wave.values()) rows.sort((a, b) => (a.write.skuId < b.write.skuId ? -1 : 1));
  }
  return waves;
}

function addRow(waves: Map<RowKind, WaveRow[]>[], place: number, row: WaveRow): void {
  const wave = waves[place] ?? new Map<RowKind, WaveRow[]>();
  waves[place] = wave;
  const rows = wave.get(row.write.kind);
  if (rows === undefined) wave.set(row.write.kind, [row]);
  else rows.push(row);
}

/** Both are of one kind and for one SKU. */
function folded(earlier: RowWrite, later: RowWrite): RowWrite {
  if (earlier.kind === 'document' && later.kind === 'document') return { ...later, firstMs: earlier.firstMs };
  if (earlier.kind === 'inventory' && later.kind === 'inventory') {
    return { ...later, nodes: new Map([...earlier.nodes, ...later.nodes]) };
  }
  // The flag is set by the first; to set it again changes nothing, not even the stamp.
  if (later.kind === 'archive' || later.kind === 'unarchive') return earlier;
  return later;
}
