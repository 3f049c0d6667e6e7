/** The page of policies: what may not be sold, and which brands only some merchants may sell. */
import { Button, Group, Pill, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { ActionsHead } from '../../ui/actions-head.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Empty } from '../../ui/states.tsx';
import { AddPolicy, KIND_NAMES } from './add-policy.tsx';

type Policy = components['schemas']['ListPoliciesAnswer']['policies'][number];

/** A policy that is to be taken back, or of a restricted brand the grant to one merchant alone. */
interface Leaving {
  readonly policy: Policy;
  readonly merchant?: string;
}

export function PoliciesPage() {
  const policies = useQuery({ queryKey: ['policies'], queryFn: () => ask(api.GET('/policies')) });
  const [isAdding, { open, close }] = useDisclosure();
  return (
    <Page
      title="Policies"
      about="In force at once: all offers are reviewed again, no new upload is needed."
      actions={<Button onClick={open}>Add a policy</Button>}
    >
      <AddPolicy isOpen={isAdding} close={close} />
      <Panel title="In force">
        <QueryView query={policies} what="list of policies">
          {({ policies: shown }) =>
            shown.length === 0 ? (
              <Empty title="No policies">Every brand, category and product may be sold by everybody.</Empty>
            ) : (
              <PolicyTable policies={shown} />
            )
          }
        </QueryView>
      </Panel>
    </Page>
  );
}

function PolicyTable({ policies }: { readonly policies: readonly Policy[] }) {
  const queryClient = useQueryClient();
  const [leaving, setLeaving] = useState<Leaving>();
  const removing = useMutation({
    mutationFn: (taken: Leaving) => ask(api.POST('/policies/remove', { body: bodyOf(taken) })),
    onSuccess: async () => {
      setLeaving(undefined);
      await queryClient.invalidateQueries({ queryKey: ['policies'] });
    },
  });
  const begin = (taken: Leaving) => {
    removing.reset();
    setLeaving(taken);
  };
  return (
    <>
      <Confirm
        isOpen={leaving !== undefined}
        close={() => setLeaving(undefined)}
        title={leaving?.merchant === undefined ? 'Take the policy back' : 'Take the grant back'}
        action="Take it back"
        isPending={removing.isPending}
        error={removing.error}
        confirm={() => leaving && removing.mutate(leaving)}
      >
        {leaving && consequence(leaving)}
      </Confirm>
      <Table.ScrollContainer minWidth={560}>
        <Table verticalSpacing="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Kind</Table.Th>
              <Table.Th>What</Table.Th>
              <Table.Th>Granted to</Table.Th>
              <ActionsHead />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {policies.map((policy) => (
              <Table.Tr key={`${policy.kind} ${nameOf(policy)}`}>
                <Table.Td>{KIND_NAMES[policy.kind]}</Table.Td>
                <Table.Td fw={600}>{nameOf(policy)}</Table.Td>
                <Table.Td>
                  <Granted policy={policy} takeBack={(merchant) => begin({ policy, merchant })} />
                </Table.Td>
                <Table.Td ta="right">
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    color="red"
                    aria-label={`Take back ${nameOf(policy)}`}
                    onClick={() => begin({ policy })}
                  >
                    Take back
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  );
}

interface GrantedProps {
  readonly policy: Policy;
  readonly takeBack: (merchant: string) => void;
}

function Granted({ policy: { kind, merchants }, takeBack }: GrantedProps) {
  if (kind !== 'restricted_brand') return null;
  if (merchants.length === 0) return <Text c="dimmed">nobody</Text>;
  return (
    <Group gap={4}>
      {merchants.map((merchant) => (
        <Pill
          key={merchant}
          withRemoveButton
          onRemove={() => takeBack(merchant)}
          removeButtonProps={{ 'aria-label': `Take back the grant to ${merchant}`, 'aria-hidden': false, tabIndex: 0 }}
        >
          {merchant}
        </Pill>
      ))}
    </Group>
  );
}

function nameOf({ brand, category, code }: Policy): string {
  return brand ?? code ?? category?.path ?? String(category?.id);
}

function consequence({ policy, merchant }: Leaving): string {
  const name = nameOf(policy);
  if (merchant !== undefined) return `${merchant} may no longer sell ${name}; its offers of it are reviewed again.`;
  return `${KIND_NAMES[policy.kind]}: ${name}. Offers that it held back are reviewed again.`;
}

/** Without a merchant the whole of it: a restriction goes with all its grants. */
function bodyOf({ policy: { kind, brand, category, code }, merchant }: Leaving) {
  return {
    kind,
    ...(merchant === undefined ? {} : { merchants: [merchant] }),
    ...(brand === null ? {} : { brand }),
    ...(category === null ? {} : { category: category.id }),
    ...(code === null ? {} : { code }),
  };
}
