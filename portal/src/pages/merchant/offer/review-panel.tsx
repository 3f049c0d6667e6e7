/** Shows why an offer is or is not for sale, and what to fix: the checks of its review. */
import { Alert, Anchor, Button, Card, Group, List, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { STATUSES, type SubStatus } from '#domain/vocabulary/statuses.ts';
import { api, ask } from '../../../api/client.ts';
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
import { lazyPart } from '../../../ui/lazy.tsx';
import { TextLink } from '../../../ui/links.tsx';
import { countOf } from '../../../ui/numbers.ts';
import { OfferImage } from '../../../ui/offer-image.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Failed } from '../../../ui/states.tsx';
import { checkColor, OUT_OF_STOCK, type StatusContext, statusName } from '../../../ui/status-badge.tsx';
import { Time } from '../../../ui/time.tsx';
import { type FixTarget, fixTarget } from './fix-target.ts';

const CheckList = lazyPart(() => import('./review/check-list.tsx'), 'CheckList');
const OfferFixes = lazyPart(() => import('./review/offer-fixes.tsx'), 'OfferFixes');

/** The name of each check. */
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
  product_data: 'Product data',
  variation_group: 'Variation group',
  multipack_quantity: 'Multipack quantity',
  main_image: 'Main image',
  alternate_images: 'Alternate images',
  price: 'Price',
  shipping_weight: 'Shipping weight',
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
                <Issue key={check.check} check={check} fix={fix}>
                  {check.fixes && <OfferFixes offerKey={offerKey} fixes={check.fixes} mayChange={fix !== undefined} />}
                </Issue>
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
  readonly children?: ReactNode;
}

function Issue({ check, fix, from, children }: IssueProps) {
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
      {children}
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
  if (state !== 'failed') return CHECK_NAMES[check];
  return TITLES[check] ?? (sub_status === null ? CHECK_NAMES[check] : ISSUES[sub_status as SubStatus].name);
}

function AllChecks({ review }: { readonly review: Review }) {
  const [isOpen, { toggle }] = useDisclosure();
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
      {isOpen && <CheckList review={review} names={CHECK_NAMES} />}
    </div>
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
