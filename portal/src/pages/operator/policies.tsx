/** Policies page: what must not be sold, and which merchants may sell restricted brands. */
import { Button, Group, Pill, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask } from '../../api/client.ts';
import { RemoveButton } from '../../ui/confirm.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Empty } from '../../ui/states.tsx';
import { AddPolicy, KIND_NAMES, type Policy, policyName } from './add-policy.tsx';
import { AnnouncedMark } from './announced-mark.tsx';
import { type ChangeQuery, ImpactDialog, type RuleChange } from './impact-dialog.tsx';
import { RecentChanges } from './recent-changes.tsx';

/** What is about to be removed: a policy, or one merchant's permission for a restricted brand. */
interface Removal {
  readonly policy: Policy;
  readonly merchant?: string;
}

export function PoliciesPage() {
  const policies = useQuery({ queryKey: ['policies'], queryFn: () => ask(api.GET('/policies')) });
  const [isAdding, { open, close }] = useDisclosure();
  return (
    <Page
      title="Policies"
      about="Before each change, you see how many offers it affects."
      actions={<Button onClick={open}>Add policy</Button>}
    >
      <AnnouncedMark rule="Policy" />
      <AddPolicy isOpen={isAdding} close={close} />
      <Panel title="Active">
        <QueryView query={policies} what="policies">
          {({ policies: shown }) =>
            shown.length === 0 ? (
              <Empty title="No policies">
                All merchants can sell every brand, category and product. Add a policy to restrict that.
              </Empty>
            ) : (
              <PolicyTable policies={shown} />
            )
          }
        </QueryView>
      </Panel>
      <RecentChanges />
    </Page>
  );
}

function PolicyTable({ policies }: { readonly policies: readonly Policy[] }) {
  const [removal, setRemoval] = useState<RuleChange>();
  const begin = (taken: Removal) =>
    setRemoval({
      title: taken.merchant === undefined ? 'Remove policy' : 'Remove merchant',
      action: 'Remove',
      isDated: true,
      about: consequence(taken),
      send: (query: ChangeQuery) => ask(api.POST('/policies/remove', { params: { query }, body: bodyOf(taken) })),
    });
  return (
    <>
      <ImpactDialog change={removal} close={() => setRemoval(undefined)} />
      <DataTable
        minWidth={560}
        verticalSpacing="sm"
        rows={policies}
        keyOf={(policy) => `${policy.kind} ${policyName(policy)}`}
        columns={[
          { head: 'Type', cell: ({ kind }) => KIND_NAMES[kind] },
          { head: 'Applies to', cell: policyName, td: { fw: 600 } },
          {
            head: 'Allowed merchants',
            cell: (policy) => <AllowedMerchants policy={policy} remove={(merchant) => begin({ policy, merchant })} />,
          },
        ]}
        actions={(policy) => <RemoveButton what={policyName(policy)} remove={() => begin({ policy })} />}
      />
    </>
  );
}

interface AllowedMerchantsProps {
  readonly policy: Policy;
  readonly remove: (merchant: string) => void;
}

function AllowedMerchants({ policy: { kind, merchants }, remove }: AllowedMerchantsProps) {
  if (kind !== 'restricted_brand') return '—';
  if (merchants.length === 0)
    return (
      <Text size="sm" c="dimmed">
        None
      </Text>
    );
  return (
    <Group gap={4}>
      {merchants.map((merchant) => (
        <Pill
          key={merchant}
          withRemoveButton
          onRemove={() => remove(merchant)}
          removeButtonProps={{ 'aria-label': `Remove ${merchant}`, 'aria-hidden': false, tabIndex: 0 }}
        >
          {merchant}
        </Pill>
      ))}
    </Group>
  );
}

function consequence({ policy, merchant }: Removal): string {
  const name = policyName(policy);
  if (merchant !== undefined)
    return `${merchant} can no longer sell ${name}. Its offers of this brand are re-reviewed.`;
  if (policy.kind === 'rank_order') return 'Offers are ranked by the default order again.';
  return `${KIND_NAMES[policy.kind]}: ${name}. The offers it blocked are re-reviewed.`;
}

/** Without a merchant, removes the whole policy with all its allowed merchants. */
function bodyOf({ policy: { kind, brand, category, code, order }, merchant }: Removal) {
  return {
    kind,
    ...(order === null ? {} : { order }),
    ...(merchant === undefined ? {} : { merchants: [merchant] }),
    ...(brand === null ? {} : { brand }),
    ...(category === null ? {} : { category: category.id }),
    ...(code === null ? {} : { code }),
  };
}
