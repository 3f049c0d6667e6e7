/** Panel for a part of an offer that lists the merchant's fulfillment nodes; loads both before it renders. */
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
