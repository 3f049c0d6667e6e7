/** Panel for a part of an offer that lists the merchant's fulfillment nodes, and the names of its fields. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type FulfillmentNode, nodesQuery } from '../../../api/account-settings.ts';
import { useEnvironment } from '../../../ui/environment.ts';
import { Panel } from '../../../ui/panel.tsx';
import { QueryView } from '../../../ui/query-view.tsx';

interface NodePanelProps<Part> {
  readonly title: string;
  readonly about?: string;
  readonly part: UseQueryResult<Part>;
  readonly children: (part: Part, nodes: readonly FulfillmentNode[]) => ReactNode;
}

/** Loads the part and the nodes before it renders. */
export function NodePanel<Part>({ title, about, part, children }: NodePanelProps<Part>) {
  const nodes = useQuery(nodesQuery(useEnvironment()));
  return (
    <Panel title={title} about={about}>
      <QueryView query={part} what={title.toLowerCase()}>
        {(found) => (
          <QueryView query={nodes} what="locations">
            {({ fulfillment_nodes: places }) => children(found, places)}
          </QueryView>
        )}
      </QueryView>
    </Panel>
  );
}

/** Maps a JSON pointer of the server, which counts only the nodes that were sent, to the field of a node in the form. */
export function nodeFieldName<Node>(
  pointer: string,
  field: string,
  sent: readonly Node[],
  nodes: readonly Node[],
): string | undefined {
  const place = /^\/fulfillment_nodes\/(\d+)/.exec(pointer)?.[1];
  const node = place === undefined ? undefined : sent[Number(place)];
  return node && `nodes.${nodes.indexOf(node)}.${field}`;
}
