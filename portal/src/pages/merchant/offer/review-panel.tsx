/** Shows why an offer is or is not for sale, and what to fix: the checks of its review. */
import { Accordion, Alert, Badge, Button, Card, Code, Group, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, ask } from '../../../api/client.ts';
import { readableExact } from '../../../api/exact-json.ts';
import { type OfferKey, pathOf, type Review, type ReviewCheck, refreshOffer, reviewQuery } from '../../../api/offer.ts';
import { type Environment, useMayChange } from '../../../api/session.ts';
import { countOf } from '../../../ui/numbers.ts';
import { QueryView } from '../../../ui/query-view.tsx';
import { Failed } from '../../../ui/states.tsx';
import { type FixTarget, fixTarget } from './fix-target.ts';
import { remedyInPageWords } from './page-words.ts';

const STATE_COLOURS: Readonly<Record<ReviewCheck['state'], string>> = {
  failed: 'red',
  pending: 'blue',
  passed: 'green',
  skipped: 'gray',
};

const CHECK_NAMES: Readonly<Record<ReviewCheck['check'], string>> = {
  archive: 'Archive status',
  exclusion: 'Marketplace policy',
  authorization: 'Brand authorization',
  title: 'Title',
  brand: 'Brand',
  product_codes: 'Product codes',
  catalog: 'Catalog match',
  category: 'Category',
  category_node: 'Category level',
  attributes: 'Category attributes',
  variation_group: 'Variation group',
  multipack_quantity: 'Multipack quantity',
  main_image: 'Main image',
  alternate_images: 'Alternate images',
  price: 'Price',
  shipping_weight: 'Shipping weight',
};

interface ReviewPanelProps {
  readonly offerKey: OfferKey;
  /** Sum of all locations; undefined until it is known. */
  readonly quantity: number | undefined;
  /** Opens the field that an issue is about; undefined if the user cannot change the offer. */
  readonly fix: ((target: FixTarget) => void) | undefined;
}

export function ReviewPanel({ offerKey, quantity, fix }: ReviewPanelProps) {
  const review = useQuery(reviewQuery(offerKey));
  return (
    <Card withBorder component="section" aria-label="Review">
      <QueryView query={review} what="review">
        {(found) => (
          <Stack>
            <Group justify="space-between" align="flex-start">
              <div role="status">
                <Title order={2} size="h4">
                  {headline(found, offerKey.environment, quantity)}
                </Title>
              </div>
              <RecheckButton offerKey={offerKey} />
            </Group>
            {issuesOf(found).map((check) => (
              <Issue key={check.check} check={check} fix={fix} />
            ))}
            <AllChecks review={found} />
          </Stack>
        )}
      </QueryView>
    </Card>
  );
}

function headline({ status, checks }: Review, environment: Environment, quantity: number | undefined): string {
  if (status === 'Available For Purchase') {
    if (quantity === 0) return 'Out of stock';
    return environment === 'test' ? 'Ready for sale (test only)' : 'For sale';
  }
  if (status === 'Archived') return 'Archived';
  const failed = checks.filter(({ state }) => state === 'failed');
  if (failed.length === 0) return 'In review';
  const toFix = failed.filter(({ next }) => next === 'merchant').length;
  return toFix === 0 ? 'Not for sale' : `Not for sale: ${countOf(toFix, 'issue')} to fix`;
}

/** Failed checks, then pending ones. The page itself says that an offer is archived. */
function issuesOf({ checks }: Review): readonly ReviewCheck[] {
  const open = checks.filter(({ check }) => check !== 'archive');
  return [...open.filter(({ state }) => state === 'failed'), ...open.filter(({ state }) => state === 'pending')];
}

function Issue({ check, fix }: { readonly check: ReviewCheck } & Pick<ReviewPanelProps, 'fix'>) {
  const title = check.sub_status ?? CHECK_NAMES[check.check];
  const target = fixTarget(check);
  return (
    <Alert color={check.next === 'merchant' ? 'orange' : STATE_COLOURS[check.state]} title={title}>
      <Stack gap={4} align="flex-start">
        <Text size="sm">{remedyInPageWords(check)}</Text>
        {fix !== undefined && target !== undefined && check.next === 'merchant' && (
          <Button variant="default" size="compact-sm" aria-label={`Fix ${title}`} onClick={() => fix(target)}>
            Fix
          </Button>
        )}
        {check.next !== null && (
          <Text size="xs" c="dimmed">
            {check.next === 'merchant' ? 'Action needed from you' : 'Waiting for the marketplace'}
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
        <Accordion.Control>Details of all {countOf(review.checks.length, 'check')}</Accordion.Control>
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

function RecheckButton({ offerKey }: { readonly offerKey: OfferKey }) {
  const queryClient = useQueryClient();
  const mayChange = useMayChange();
  const rechecking = useMutation({
    mutationFn: () =>
      ask(
        api.POST('/{environment}/merchant-skus/{user_defined_sku_id}/review', { params: { path: pathOf(offerKey) } }),
      ),
    onSuccess: async () => {
      notifications.show({ message: 'Re-check started.' });
      await refreshOffer(queryClient, offerKey);
    },
  });
  if (!mayChange) return null;
  return (
    <Stack gap="xs">
      <Button size="xs" variant="light" loading={rechecking.isPending} onClick={() => rechecking.mutate()}>
        Re-check
      </Button>
      {rechecking.isError && <Failed error={rechecking.error} />}
    </Stack>
  );
}
