/** Settings page: fulfillment and return locations of the environment, and the return policy. */
import { useEnvironment } from '../../ui/environment.ts';
import { Page } from '../../ui/page.tsx';
import { NodesCard } from './nodes-card.tsx';
import { ReturnLocationsCard } from './return-locations-card.tsx';
import { ReturnsCard } from './returns-card.tsx';

export function SettingsPage() {
  const environment = useEnvironment();
  return (
    <Page title="Settings" about="Shipping and returns.">
      {/* Keyed by environment, because a form started in one must not be submitted in the other. */}
      <NodesCard key={`nodes ${environment}`} environment={environment} />
      <ReturnLocationsCard key={`locations ${environment}`} environment={environment} />
      <ReturnsCard />
    </Page>
  );
}
