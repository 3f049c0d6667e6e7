/** In charge of why the offer is or is not live, and what is to be done about it: the checks of its review. */
import { Accordion, Alert, Badge, Button, Card, Code, Group, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, ask } from '../../../api/client.ts';
import { readableExact } from '../../../api/exact-json.ts';
import { type OfferKey, pathOf, type Review, type ReviewCheck, refreshOffer, reviewQuery } from '../../../api/offer.ts';
import { useMayChange } from '../../../api/session.ts';
import { countOf } from '../../../ui/numbers.ts';
import { QueryView } from '../../../ui/query-view.tsx';
import { Failed } from '../../../ui/states.tsx';

const STATE_COLOURS: Readonly<Record<ReviewCheck['state'], string>> = {
  failed: 'red',
  pending: 'blue',
  passed: 'green',
  skipped: 'gray',
};

const CHECK_NAMES: Readonly<Record<ReviewCheck['check'], string>> = {
  archive: 'For sale, not archived',
  exclusion: 'Allowed on this marketplace',
  authorization: 'Brand that you may sell',
  title: 'Title',
  brand: 'Brand',
  product_codes: 'Product codes',
  catalog: 'Product in the catalog',
  category: 'Category',
  category_node: 'Category that carries offers',
  attributes: 'Attributes of the category',
  variation_group: 'Variation group',
  multipack_quantity: 'Multipack quantity',
  main_image: 'Main image',
  alternate_images: 'Alternate images',
  price: 'Price',
  shipping_weight: 'Shipping weight',
};

export function ReviewPanel({ offerKey }: { readonly offerKey: OfferKey }) {
  const review = useQuery(reviewQuery(offerKey));
  return (
    <Card withBorder component="section" aria-label="Review">
      <QueryView query={review} what="review">
        {(found) => (
          <Stack>
            <Group justify="space-between" align="flex-start">
              <div role="status">
                <Title order={2} size="h4">
                  {headline(found)}
                </Title>
              </div>
              <LookAgain offerKey={offerKey} />
            </Group>
            {ofState(found, 'failed').map((check) => (
              <Finding key={check.check} check={check} />
            ))}
            {ofState(found, 'pending').map((check) => (
              <Finding key={check.check} check={check} />
            ))}
            <AllChecks review={found} />
          </Stack>
        )}
      </QueryView>
    </Card>
  );
}

function headline({ status, checks }: Review): string {
  if (status === 'Available For Purchase') return 'This offer is live';
  if (status === 'Archived') return 'This offer is archived';
  const failed = checks.filter(({ state }) => state === 'failed').length;
  return failed === 0 ? 'This offer is being looked at' : `Not live: ${countOf(failed, 'thing')} to fix`;
}

function ofState({ checks }: Review, state: ReviewCheck['state']): readonly ReviewCheck[] {
  return checks.filter((check) => check.state === state);
}

function Finding({ check }: { readonly check: ReviewCheck }) {
  return (
    <Alert color={STATE_COLOURS[check.state]} title={check.sub_status ?? CHECK_NAMES[check.check]}>
      <Stack gap={4}>
        <Text size="sm">{check.remedy}</Text>
        {check.next !== null && (
          <Text size="xs" c="dimmed">
            {check.next === 'merchant' ? 'You act next.' : 'The marketplace acts next.'}
          </Text>
        )}
      </Stack>
    </Alert>
  );
}

function AllChecks({ review }: { readonly review: Review }) {
  return (
    <Accordion variant="contained">
      <Accordion.Item value="checks">
        <Accordion.Control>{countOf(review.checks.length, 'check')} with what was looked at</Accordion.Control>
        <Accordion.Panel>
          <Stack gap="sm">
            {review.checks.map((check) => (
              <Stack key={check.check} gap={4}>
                <Group gap="xs">
                  <Badge variant="light" color={STATE_COLOURS[check.state]} tt="none" w={80}>
                    {check.state}
                  </Badge>
                  <Text fw={600} size="sm">
                    {CHECK_NAMES[check.check]}
                  </Text>
                  {check.code !== null && <Code>{check.code}</Code>}
                </Group>
                {Object.keys(check.evidence).length > 0 && (
                  <Code block className="wrapped">
                    {readableExact(check.evidence)}
                  </Code>
                )}
              </Stack>
            ))}
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}

function LookAgain({ offerKey }: { readonly offerKey: OfferKey }) {
  const queryClient = useQueryClient();
  const mayChange = useMayChange();
  const asking = useMutation({
    mutationFn: () =>
      ask(
        api.POST('/{environment}/merchant-skus/{user_defined_sku_id}/review', { params: { path: pathOf(offerKey) } }),
      ),
    onSuccess: async () => {
      notifications.show({ message: 'The images are fetched again and the offer is reviewed anew.' });
      await refreshOffer(queryClient, offerKey);
    },
  });
  if (!mayChange) return null;
  return (
    <Stack gap="xs">
      <Button size="xs" variant="light" loading={asking.isPending} onClick={() => asking.mutate()}>
        Look again
      </Button>
      {asking.isError && <Failed error={asking.error} />}
    </Stack>
  );
}
