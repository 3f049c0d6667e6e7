/** API keys page: the marketplace's own keys, for its shop and its programs. */
import { Stack } from '@mantine/core';
import { MARKETPLACE_KEYS } from '../../api/account-settings.ts';
import { Page } from '../../ui/page.tsx';
import { KeysPanel } from '../account/keys-panel.tsx';

const PANELS = [
  { environment: 'live', title: 'Live keys', action: 'Create live key' },
  { environment: 'test', title: 'Test keys', action: 'Create test key' },
] as const;

export function MarketplaceKeysPage() {
  return (
    <Page
      title="API keys"
      about="Keys of the marketplace, for the shop and for programs that operate it. Merchants have their own."
    >
      <Stack gap="lg">
        {PANELS.map((panel) => (
          <KeysPanel
            key={panel.environment}
            calls={MARKETPLACE_KEYS}
            {...panel}
            whenEmpty="Create a key for a program of the marketplace."
          />
        ))}
      </Stack>
    </Page>
  );
}
