/** Orders the nodes of a tree, from the departments down. Nodes that it does not reach are below a missing node, or in a cycle. */
import type { Int64 } from '../int64.ts';
import { LIMITS } from '../limits.ts';
import type { FaultCode, LineFault, NodeEntry, PlacedEntry } from './entries.ts';

type PlacedNode = PlacedEntry<NodeEntry>;

export interface TreeOrder {
  /** Parents before their children, siblings in the order of the list. */
  readonly entries: readonly NodeEntry[];
  readonly faults: readonly LineFault[];
  /** Nodes whose parent is not in the list. */
  readonly orphans: readonly LineFault[];
}

export function treeOrder(nodes: readonly PlacedNode[]): TreeOrder {
  const { reached, faults } = walk(nodes);
  const unreached = nodes.filter((placed) => !reached.has(placed));
  return {
    entries: Array.from(reached, ({ entry }) => entry),
    faults: [...faults, ...circleFaults(unreached)],
    orphans: orphanFaults(nodes, unreached),
  };
}

interface Step {
  readonly placed: PlacedNode;
  readonly level: number;
  /** Names of inherited attributes. */
  readonly above: ReadonlySet<string>;
}

function walk(nodes: readonly PlacedNode[]): { reached: ReadonlySet<PlacedNode>; faults: LineFault[] } {
  const childrenOf = Map.groupBy(nodes, ({ entry }) => entry.parentId);
  const reached = new Set<PlacedNode>();
  const faults: LineFault[] = [];
  const open: Step[] = [];
  const add = (parentId: Int64 | null, level: number, above: ReadonlySet<string>): void => {
    // The loop takes nodes from the end, so the first node must be last.
    for (const placed of childrenOf.get(parentId)?.toReversed() ?? []) open.push({ placed, level, above });
  };
  add(null, 1, new Set());
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    const { placed, level, above } = step;
    // Two nodes with one id are reported elsewhere; their descendants are visited once.
    if (reached.has(placed)) continue;
    reached.add(placed);
    const own = [...placed.entry.required, ...placed.entry.optional];
    const all = own.length === 0 ? above : new Set([...above, ...own]);
    // Reported for the first node that exceeds the limit, not for all its descendants.
    if (level === LIMITS.taxonomy_levels_max + 1) {
      faults.push(
        faultAt('taxonomy_parent', placed, `is below level ${LIMITS.taxonomy_levels_max}, the deepest allowed`),
      );
    }
    if (all.size > LIMITS.attributes_max && above.size <= LIMITS.attributes_max) {
      const text = `has more than ${LIMITS.attributes_max} attributes (${all.size})`;
      faults.push(faultAt('taxonomy_attribute', placed, text));
    }
    add(placed.entry.id, level + 1, all);
  }
  return { reached, faults };
}

function orphanFaults(nodes: readonly PlacedNode[], unreached: readonly PlacedNode[]): LineFault[] {
  const ids = new Set(nodes.map(({ entry }) => entry.id));
  return unreached
    .filter(({ entry }) => entry.parentId !== null && !ids.has(entry.parentId))
    .map((placed) =>
      faultAt('taxonomy_parent', placed, `has the parent ${placed.entry.parentId}, which does not exist`),
    );
}

/** Returns one fault per cycle, at the first of its nodes. */
function circleFaults(unreached: readonly PlacedNode[]): LineFault[] {
  const byId = new Map(unreached.map((placed) => [placed.entry.id, placed]));
  const done = new Set<PlacedNode>();
  const faults: LineFault[] = [];
  for (const start of unreached) {
    const trail = new Set<PlacedNode>();
    let placed: PlacedNode | undefined = start;
    while (placed !== undefined && !done.has(placed) && !trail.has(placed)) {
      trail.add(placed);
      placed = placed.entry.parentId === null ? undefined : byId.get(placed.entry.parentId);
    }
    if (placed !== undefined && trail.has(placed)) faults.push(faultAt('taxonomy_parent', placed, 'is below itself'));
    for (const passed of trail) done.add(passed);
  }
  return faults;
}

function faultAt(code: FaultCode, { line, entry }: PlacedNode, text: string): LineFault {
  return { code, line, text: `node ${entry.id} ${text}` };
}
