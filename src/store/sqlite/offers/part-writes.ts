/**
 * Writes the parts of an offer. A write has a number, and changes a part only if the part has no higher one: single calls have the
 * highest number, bulk rows their file's. Each change is recorded in the same transaction of the writer thread.
 */
import { byCodePoint } from '../../../domain/text/text-rules.ts';
import { quantitiesTag, textTag } from '../../port/part-tags.ts';
import { type ClearableStorage, ofEachClearable } from '../../shared/offers/clearable-parts.ts';
import type { Connection } from '../engine/connection.ts';
import { type Change, type HistoryWrites, NEVER, NodesBefore } from '../history/history-writes.ts';

/** `superseded`: the part has a higher number, and nothing was written. */
type PartWritten = 'first' | 'again' | 'superseded';

export function partWrites(connection: Connection, history: HistoryWrites) {
  /**
   * Whether the last write was the first price of its SKU, or the first quantity at its node. The next write is nearly always the same, as
   * in a file with the first prices of a million SKUs. If it was, the insert is tried before the read.
   */
  let wasFirst = false;
  const insertSku = connection.query(`
    INSERT INTO sku (account_id, sku_id, first_upload_ms, inventory_stamp_ms) VALUES (?1, ?2, ?3, ?3)
    ON CONFLICT DO NOTHING`);
  const insertDocument = connection.query(`
    INSERT INTO sku_document (sku, tag, document, updated_ms, number) VALUES (?, ?, ?, ?, ?)`);
  const readDocument = connection.query<[document: string, number: number]>(`
    SELECT document, number FROM sku_document WHERE sku = ?`);
  const updateDocument = connection.query(`
    UPDATE sku_document SET tag = ?2, document = ?3, updated_ms = ?4, number = ?5 WHERE sku = ?1`);
  // These are not upserts: only the first price, and the first quantity of a node, can change a verdict.
  const insertPrice = connection.query(`
    INSERT INTO price (sku, price, nodes, updated_ms, number) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`);
  const readPrice = connection.query<[price: number, nodes: string, number: number]>(`
    SELECT price, nodes, number FROM price WHERE sku = ?`);
  const updatePrice = connection.query(`
    UPDATE price SET price = ?2, nodes = ?3, updated_ms = ?4, number = ?5 WHERE sku = ?1`);
  const insertQuantity = connection.query(`
    INSERT INTO inventory (sku, node_id, quantity, updated_ms, number) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`);
  const readQuantity = connection.query<[quantity: number, number: number]>(`
    SELECT quantity, number FROM inventory WHERE sku = ? AND node_id = ?`);
  const updateQuantity = connection.query(`
    UPDATE inventory SET quantity = ?3, updated_ms = ?4, number = ?5 WHERE sku = ?1 AND node_id = ?2`);
  const readNodes = connection.query<[nodeId: string, quantity: number, number: number]>(`
    SELECT node_id, quantity, number FROM inventory WHERE sku = ? ORDER BY node_id`);
  const setFlag = connection.query(`
    UPDATE sku SET archived = ?2, archive_number = ?4, inventory_stamp_ms = ?3, inventory_zeroed_number = ?4
    WHERE id = ?1`);
  const setFlagNumber = connection.query('UPDATE sku SET archive_number = ?2 WHERE id = ?1');
  const readStock = connection.query<[nodeId: string, quantity: number, number: number]>(`
    SELECT node_id, quantity, number FROM inventory WHERE sku = ?1 AND number <= ?2 AND quantity <> 0`);
  const zeroQuantities = connection.query(`
    UPDATE inventory SET quantity = 0, updated_ms = ?2, number = ?3 WHERE sku = ?1 AND number <= ?3`);

  /** Each sets its part to JSON text; null clears it. The caller has compared the number. */
  const putClearable = ofEachClearable(clearablePart);

  function clearablePart({ part, number, sqliteColumn: column }: ClearableStorage) {
    const select = connection.query<[text: string]>(`SELECT ${column} FROM ${part} WHERE sku = ?`);
    const upsert = connection.query(`
      INSERT INTO ${part} (sku, ${column}) VALUES (?, ?) ON CONFLICT (sku) DO UPDATE SET ${column} = excluded.${column}`);
    const remove = connection.query(`DELETE FROM ${part} WHERE sku = ?`);
    const setNumber = connection.query(`UPDATE sku SET ${number} = ?2 WHERE id = ?1`);
    return (sku: number, text: string | null, numberBefore: number, change: Change): void => {
      const before = select.get(sku)?.[0] ?? null;
      if (text !== before) history.note(sku, part, change, numberBefore, null, before);
      if (text === null) remove.run(sku);
      else upsert.run(sku, text);
      setNumber.run(sku, change.number);
    };
  }

  /** Returns the id of the SKU; undefined if it exists already. */
  function addSku(accountId: number, skuId: string, document: string, change: Change): number | undefined {
    const { number, nowMs } = change;
    const { changes, lastInsertRowid } = insertSku.run(accountId, skuId, nowMs);
    if (changes === 0) return undefined;
    insertDocument.run(lastInsertRowid, textTag(document), document, nowMs, number);
    history.note(lastInsertRowid as number, 'sku', change);
    return lastInsertRowid as number;
  }

  function writeDocument(sku: number, document: string, change: Change): PartWritten {
    const { number, nowMs } = change;
    const before = readDocument.get(sku);
    if (before === undefined) throw new Error('A SKU that was just found no longer exists.');
    const [documentBefore, numberBefore] = before;
    if (numberBefore > number) return 'superseded';
    if (document !== documentBefore) history.note(sku, 'sku', change, numberBefore, null, documentBefore);
    updateDocument.run(sku, textTag(document), document, nowMs, number);
    return 'again';
  }

  /** `nodes` is the JSON text of the node prices. */
  function writePrice(sku: number, price: number, nodes: string, change: Change): PartWritten {
    const { number, nowMs } = change;
    wasFirst &&= insertPrice.run(sku, price, nodes, nowMs, number).changes > 0;
    if (!wasFirst) {
      const before = readPrice.get(sku);
      if (before !== undefined) {
        const [priceBefore, nodesBefore, numberBefore] = before;
        if (numberBefore > number) return 'superseded';
        if (price !== priceBefore || nodes !== nodesBefore) {
          const text = nodesBefore === '[]' ? null : nodesBefore;
          history.note(sku, 'price', change, numberBefore, priceBefore, text);
        }
        updatePrice.run(sku, price, nodes, nowMs, number);
        return 'again';
      }
      insertPrice.run(sku, price, nodes, nowMs, number);
      wasFirst = true;
    }
    history.note(sku, 'price', change);
    return 'first';
  }

  /** `nodeIds` and `quantities` correspond by index, from `start` to `end`. */
  function writeQuantities(
    sku: number,
    nodeIds: readonly string[],
    quantities: readonly number[],
    start: number,
    end: number,
    change: Change,
  ): { readonly writtenNodes: number; readonly newNodes: number } {
    const changed = new NodesBefore(change);
    let writtenNodes = 0;
    let newNodes = 0;
    for (let index = start; index < end; index++) {
      const written = writeQuantity(sku, nodeIds[index] as string, quantities[index] as number, changed);
      if (written !== 'superseded') writtenNodes++;
      if (written === 'first') newNodes++;
    }
    history.noteStock(sku, changed);
    return { writtenNodes, newNodes };
  }

  /**
   * Writes the nodes of a single call, which nothing supersedes, and returns the tag of the whole stock. It reads all nodes at once instead
   * of each node that it writes, because a second read for the tag would add 7 % to the CPU time of the request.
   */
  function writeStock(
    sku: number,
    nodeIds: readonly string[],
    quantities: readonly number[],
    change: Change,
  ): { readonly newNodes: number; readonly tag: string | null } {
    const { number, nowMs } = change;
    const changed = new NodesBefore(change);
    const nodes = readNodes.all(sku);
    const stored = new Map(nodes.map((node) => [node[0], node]));
    nodeIds.forEach((nodeId, index) => {
      const quantity = quantities[index] as number;
      const node = stored.get(nodeId);
      if (node === undefined) {
        insertQuantity.run(sku, nodeId, quantity, nowMs, number);
        changed.add(nodeId, null, NEVER);
        nodes.push([nodeId, quantity, number]);
      } else {
        if (quantity !== node[1]) changed.add(...node);
        updateQuantity.run(sku, nodeId, quantity, nowMs, number);
        node[1] = quantity;
      }
    });
    history.noteStock(sku, changed);
    const newNodes = nodes.length - stored.size;
    if (newNodes > 0) nodes.sort(([a], [b]) => byCodePoint(a, b));
    return { newNodes, tag: quantitiesTag(nodes) };
  }

  /** A node without a record has the number of the last zeroing, which the caller has compared. */
  function writeQuantity(sku: number, nodeId: string, quantity: number, changed: NodesBefore): PartWritten {
    const { number, nowMs } = changed.change;
    wasFirst &&= insertQuantity.run(sku, nodeId, quantity, nowMs, number).changes > 0;
    if (!wasFirst) {
      const before = readQuantity.get(sku, nodeId);
      if (before !== undefined) {
        const [quantityBefore, numberBefore] = before;
        if (numberBefore > number) return 'superseded';
        if (quantity !== quantityBefore) changed.add(nodeId, quantityBefore, numberBefore);
        updateQuantity.run(sku, nodeId, quantity, nowMs, number);
        return 'again';
      }
      insertQuantity.run(sku, nodeId, quantity, nowMs, number);
      wasFirst = true;
    }
    changed.add(nodeId, null, NEVER);
    return 'first';
  }

  /** Changes the flag, and zeroes and numbers the stock, except nodes with a higher number. */
  function changeFlag(sku: number, archived: boolean, numberBefore: number, change: Change): void {
    const { number, nowMs } = change;
    history.note(sku, 'archive', change, numberBefore, archived ? 0 : 1);
    const zeroed = new NodesBefore(change);
    for (const node of readStock.all(sku, number)) zeroed.add(...node);
    history.noteStock(sku, zeroed, { isZeroed: true });
    setFlag.run(sku, archived ? 1 : 0, nowMs, number);
    zeroQuantities.run(sku, nowMs, number);
  }

  function numberFlag(sku: number, { number }: Change): void {
    setFlagNumber.run(sku, number);
  }

  return {
    addSku,
    writeDocument,
    writePrice,
    writeQuantities,
    writeStock,
    putClearable,
    changeFlag,
    numberFlag,
  };
}
