/** Shows why an offer is or is not for sale, and what to fix: the checks of its review. */
import {
  Alert,
  Anchor,
  Badge,
  Button,
  Card,
  Checkbox,
  Code,
  Collapse,
  Group,
  List,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { STATUSES, type SubStatus } from '#domain/vocabulary/statuses.ts';
import { api, ask } from '../../../api/client.ts';
import { readableExact } from '../../../api/exact-json.ts';
import {
  type Offer,
  type OfferKey,
  pathOf,
  type Review,
  type ReviewCheck,
  refreshOffer,
  reviewQuery,
  type UpcomingCheck,
} from '../../../api/offer.ts';
import { useMayChange } from '../../../api/session.ts';
import { useStatusContext } from '../../../ui/environment.ts';
import { remedyInPageWords } from '../../../ui/forms/page-words.ts';
import { Icon } from '../../../ui/icons.tsx';
import { ISSUES } from '../../../ui/issues.ts';
import { TextLink } from '../../../ui/links.tsx';
import { countOf } from '../../../ui/numbers.ts';
import { OfferImage } from '../../../ui/offer-image.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Failed } from '../../../ui/states.tsx';
import { checkColor, OUT_OF_STOCK, type StatusContext, statusName } from '../../../ui/status-badge.tsx';
import { Time } from '../../../ui/time.tsx';
import { type FixTarget, fixTarget } from './fix-target.ts';

/** The name of each check, and why it passed. */
const CHECKS: Readonly<Record<ReviewCheck['check'], { readonly name: string; readonly passed: string }>> = {
  archive: { name: 'Archive status', passed: 'The offer is not archived.' },
  exclusion: { name: 'Marketplace policy', passed: 'No marketplace policy excludes the offer.' },
  authorization: { name: 'Brand authorization', passed: 'You are allowed to sell this brand.' },
  title: { name: 'Title', passed: 'The offer has a title.' },
  brand: { name: 'Brand', passed: 'The offer has a brand.' },
  product_codes: { name: 'Product codes', passed: 'The product codes are valid.' },
  catalog: { name: 'Catalog match', passed: 'The product codes identify the product.' },
  category: { name: 'Category', passed: 'The offer has a category.' },
  category_node: { name: 'Category level', passed: 'Offers can be listed in the category.' },
  attributes: { name: 'Category attributes', passed: 'The category attributes are complete and valid.' },
  product_data: { name: 'Product data', passed: 'The offer has the data required for a new product.' },
  variation_group: { name: 'Variation group', passed: 'No variation group issues.' },
  multipack_quantity: { name: 'Multipack quantity', passed: 'The multipack quantity does not contradict the title.' },
  main_image: { name: 'Main image', passed: 'The main image is suitable.' },
  alternate_images: { name: 'Alternate images', passed: 'The alternate images are suitable.' },
  price: { name: 'Price', passed: 'The offer has a price.' },
  shipping_weight: { name: 'Shipping weight', passed: 'No shipping weight issues.' },
};

/** Failed checks without a sub-status are named like the status that they cause. Product data shares its sub-status with attributes. */
const TITLES: Readonly<Partial<Record<ReviewCheck['check'], string>>> = {
  product_data: 'Missing product data',
  exclusion: STATUSES.excluded,
  authorization: STATUSES.unauthorized,
};

interface ReviewPanelProps {
  readonly offerKey: OfferKey;
  readonly offer: Offer;
  /** Sum of all locations; undefined until it is known. */
  readonly quantity: number | undefined;
  /** Opens the field that an issue is about; undefined if the user cannot change the offer. */
  readonly fix: ((target: FixTarget) => void) | undefined;
}

export function ReviewPanel({ offerKey, offer, quantity, fix }: ReviewPanelProps) {
  const review = useQuery(reviewQuery(offerKey));
  const context = useStatusContext();
  return (
    <Card withBorder component="section" aria-label="Review">
      <Stack>
        <Group align="flex-start" wrap="nowrap" gap="md">
          <OfferImage address={offer.main_image_url} size={64} alt={`Image of ${offer.product_title}`} />
          <Stack gap={2} miw={0} flex={1} className="anywhere">
            <div role="status">
              {review.data && (
                <Title order={2} size="h4">
                  {headline(review.data, context, quantity)}
                </Title>
              )}
            </div>
            <Text size="sm">{offer.brand}</Text>
            <Anchor href={offer.main_image_url} target="_blank" rel="noreferrer noopener" size="sm">
              Open main image
            </Anchor>
          </Stack>
          <RecheckButton offerKey={offerKey} />
        </Group>
        <QueryView query={review} what="review">
          {(found) => (
            <>
              {issuesOf(found).map((check) => (
                <Issue key={check.check} check={check} fix={fix} />
              ))}
              {found.upcoming.map((check) => (
                <Issue
                  key={`${check.change_id} ${check.check}`}
                  check={check}
                  fix={fix}
                  from={<UpcomingDate environment={offerKey.environment} {...check} />}
                />
              ))}
              {found.advice.length > 0 && (
                <Alert color="gray" py="xs" title="Advice">
                  <List size="sm">
                    {found.advice.map(({ code, field, text }) => (
                      <List.Item key={code + field}>{text}</List.Item>
                    ))}
                  </List>
                </Alert>
              )}
              <AllChecks review={found} />
            </>
          )}
        </QueryView>
      </Stack>
    </Card>
  );
}

function headline({ status, checks }: Review, context: StatusContext, quantity: number | undefined): string {
  if (status === STATUSES.available) {
    if (quantity === 0) return OUT_OF_STOCK;
    const name = statusName(status, context);
    return context.environment === 'test' && !context.suspended ? `${name} (test only)` : name;
  }
  if (status === STATUSES.archived) return status;
  const failed = checks.filter(({ state }) => state === 'failed');
  if (failed.length === 0) return 'In review';
  const toFix = failed.filter(({ next }) => next === 'merchant').length;
  return toFix === 0 ? 'Not for sale' : `Not for sale: ${countOf(toFix, 'issue')} to fix`;
}

/** Returns failed checks, then pending ones. The archive check is left out, because the page itself says that an offer is archived. */
function issuesOf({ checks }: Review): readonly ReviewCheck[] {
  const open = checks.filter(({ check }) => check !== 'archive');
  return [...open.filter(({ state }) => state === 'failed'), ...open.filter(({ state }) => state === 'pending')];
}

interface IssueProps extends Pick<ReviewPanelProps, 'fix'> {
  readonly check: ReviewCheck;
  /** Shown for a check that will fail under an announced change. */
  readonly from?: ReactNode;
}

function Issue({ check, fix, from }: IssueProps) {
  const title = issueTitle(check);
  const target = fixTarget(check);
  return (
    <Alert color={from ? 'yellow' : checkColor(check)} py="xs">
      <Group justify="space-between" wrap="nowrap" gap="md">
        <Stack gap={2} miw={0}>
          <Text size="sm" fw={600} c="var(--alert-color)">
            {title}
          </Text>
          {from}
          <Text size="sm">{remedyInPageWords(check)}</Text>
        </Stack>
        {fix !== undefined && target !== undefined && check.next === 'merchant' && (
          <Button
            variant="default"
            size="compact-sm"
            flex="none"
            aria-label={`Fix ${title}`}
            onClick={() => fix(target)}
          >
            Fix
          </Button>
        )}
      </Group>
    </Alert>
  );
}

function UpcomingDate({ environment, change_id, enforced_from: at }: Pick<OfferKey, 'environment'> & UpcomingCheck) {
  return (
    <Text size="sm">
      Will fail from <Time at={at} />.{' '}
      <TextLink
        to="/$environment/offers"
        params={{ environment }}
        search={{ upcoming: String(change_id) }}
        inherit
        underline="always"
        c="var(--mantine-color-text)"
      >
        View announced change
      </TextLink>
    </Text>
  );
}

/** Names a pending check like the check itself, because it is not an issue yet. */
function issueTitle({ check, state, sub_status }: ReviewCheck): string {
  if (state !== 'failed') return CHECKS[check].name;
  return TITLES[check] ?? (sub_status === null ? CHECKS[check].name : ISSUES[sub_status as SubStatus].name);
}

function AllChecks({ review }: { readonly review: Review }) {
  const [isOpen, { toggle }] = useDisclosure();
  const [hasData, setHasData] = useState(false);
  return (
    <div>
      <Button
        variant="default"
        fullWidth
        justify="space-between"
        rightSection={<Icon name="chevron" size={16} />}
        styles={{ section: { transform: isOpen ? 'rotate(90deg)' : 'none' } }}
        aria-expanded={isOpen}
        onClick={toggle}
      >
        Details of all {countOf(review.checks.length, 'check')}
      </Button>
      <Collapse expanded={isOpen}>
        <Stack gap="sm" pt="sm">
          {hasData && (
            <Text size="sm">
              Status in the API: <Code>{review.status}</Code>
            </Text>
          )}
          {review.checks.map((check) => (
            <Stack key={check.check} gap={4}>
              <Group gap="xs" wrap="nowrap" align="flex-start">
                <Badge variant="light" color={checkColor(check)} tt="none" w={80} flex="none">
                  {check.state}
                </Badge>
                <Text size="sm">
                  <strong>{CHECKS[check.check].name}</strong>: {sentenceOf(check)}
                </Text>
              </Group>
              {hasData && (
                <Code block className="wrapped">
                  {readableExact({ check: check.check, code: check.code, evidence: check.evidence })}
                </Code>
              )}
            </Stack>
          ))}
          <Checkbox
            label="Show the data for each check, as returned by the API"
            checked={hasData}
            onChange={(event) => setHasData(event.currentTarget.checked)}
          />
        </Stack>
      </Collapse>
    </div>
  );
}

function sentenceOf(check: ReviewCheck): string {
  if (check.state === 'passed') return CHECKS[check.check].passed;
  if (check.state === 'skipped') return String((check.evidence as { reason?: string }).reason ?? '');
  return remedyInPageWords(check);
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
