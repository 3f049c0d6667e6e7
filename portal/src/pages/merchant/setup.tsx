/** The page of the setup: fulfillment nodes and return locations of the environment, and how products come back. */

import { useEnvironment } from '../../ui/environment.ts';
import { Page } from '../../ui/page.tsx';
import { NodesCard } from './nodes-card.tsx';
import { ReturnLocationsCard } from './return-locations-card.tsx';
import { ReturnsCard } from './returns-card.tsx';

export function SetupPage() {
  const environment = useEnvironment();
  return (
    <Page title="Setup" about="Places and returns, which offers refer to.">
      {/* What was begun in one environment is not finished in the other. */}
      <NodesCard key={`nodes ${environment}`} environment={environment} />
      <ReturnLocationsCard key={`locations ${environment}`} environment={environment} />
      <ReturnsCard />
    </Page>
  );
}
