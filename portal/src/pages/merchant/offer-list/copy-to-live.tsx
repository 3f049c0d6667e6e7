/** Dialog that copies offers of the test environment to live: what would be for sale and what not, the copy, and its undo. */
import { Button, Checkbox, Group, List, ScrollArea, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { LIMITS } from '#domain/limits.ts';
import { type BulkFile, fileQuery, isInProgress, undoFile } from '../../../api/files.ts';
import type { OfferFilters } from '../../../api/offer-filters.ts';
import {
  type CopiedOffers,
  type CopyPreview,
  changeOffers,
  copyPreviewQuery,
  copyToLive,
  type OffersCopy,
} from '../../../api/offers.ts';
import { useHasHistory } from '../../../api/session.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { problemText } from '../../../ui/forms/problem-text.ts';
import { issueNames } from '../../../ui/issues.ts';
import { ButtonLink } from '../../../ui/links.tsx';
import { countOf } from '../../../ui/numbers.ts';
import { QueryView } from '../../../ui/query-view.tsx';
import { Failed } from '../../../ui/states.tsx';
import { FileProgress } from '../file-progress.tsx';

const TO = 'live';

interface CopyToLiveProps {
  readonly filters: OfferFilters;
  /** The selected SKUs; undefined for all offers that match the filters. */
  readonly skus: readonly string[] | undefined;
  readonly close: () => void;
}

export function CopyToLive({ filters, skus, close }: CopyToLiveProps) {
  const queryClient = useQueryClient();
  // Keeps the selection from when the dialog opened.
  const [chosen] = useState<OffersCopy>(skus === undefined ? {} : { skus: [...skus] });
  const preview = useQuery(copyPreviewQuery(filters, chosen));
  const copying = useMutation({
    mutationFn: (withIssues: boolean) => copyToLive(filters, { ...chosen, with_issues: withIssues }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['files', TO] }),
  });
  return (
    <Dialog isOpen close={close} title="Copy to live" size="lg" hold={copying.isPending ? 'busy' : undefined}>
      {copying.data === undefined ? (
        <QueryView query={preview} what="preview">
          {(found) => (
            <Preview preview={found} close={close} copy={copying.mutate} isPending={copying.isPending}>
              {copying.isError && <Failed error={copying.error} />}
            </Preview>
          )}
        </QueryView>
      ) : (
        <Copied copied={copying.data} close={close} />
      )}
    </Dialog>
  );
}

interface PreviewProps {
  readonly preview: CopyPreview;
  readonly close: () => void;
  readonly copy: (withIssues: boolean) => void;
  readonly isPending: boolean;
  readonly children: ReactNode;
}

function Preview({ preview, close, copy, isPending, children }: PreviewProps) {
  const { ready, with_issues: flawed, skipped, is_more: isMore, failing } = preview;
  const [withIssues, setWithIssues] = useState(false);
  const offers = ready + (withIssues ? flawed : 0);
  return (
    <Stack>
      <Text>
        {ready === 0
          ? 'None of these offers could go on sale in live.'
          : `${countOf(ready, 'offer')} can go on sale in live, with price and stock.`}
        {skipped > 0 && ` ${countOf(skipped, 'offer')} skipped: already in live, or archived.`}
        {isMore && moreText(ready + (withIssues ? flawed : 0))}
      </Text>
      {failing.length > 0 && (
        <>
          <Text fw={550}>Would not be for sale</Text>
          <ScrollArea.Autosize
            mah={260}
            viewportProps={{ tabIndex: 0, role: 'group', 'aria-label': 'Offers with issues' }}
          >
            <List size="sm" spacing={6}>
              {failing.map(({ sku, title, status, sub_status, problems }) => (
                <List.Item key={sku} className="anywhere">
                  {title.trim() || sku}{' '}
                  <Text span inherit c="dimmed">
                    {sku}: {problems.map(problemText).join(' ') || issueNames(sub_status) || status}
                  </Text>
                </List.Item>
              ))}
            </List>
          </ScrollArea.Autosize>
        </>
      )}
      {flawed > 0 && (
        <Checkbox
          label={`Also copy ${countOf(flawed, 'offer')} with issues, to fix in live`}
          description="Variation groups are not copied. Add them in live."
          checked={withIssues}
          onChange={({ currentTarget }) => setWithIssues(currentTarget.checked)}
        />
      )}
      {children}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button disabled={offers === 0} loading={isPending} onClick={() => copy(withIssues)}>
          {offers === 0 ? 'Nothing to copy' : `Copy ${countOf(offers, 'offer')}`}
        </Button>
      </Group>
    </Stack>
  );
}

/** A copy starts from the oldest offer each time, so that a copy that found too few does not find more the next time. */
function moreText(offers: number): string {
  if (offers >= LIMITS.offers_per_copy_max) return ' More offers match: copy again for the next ones.';
  const examined = countOf(LIMITS.copy_examined_max, 'matching offer');
  return ` Only the ${examined} that were added first were checked. To reach the others, filter the list or select them.`;
}

function Copied({
  copied: { file: first, skus: all },
  close,
}: {
  readonly copied: CopiedOffers;
  readonly close: () => void;
}) {
  const queryClient = useQueryClient();
  const fileId = first?.marketplace_file_id ?? '';
  const { data: file = first } = useQuery({ ...fileQuery(TO, fileId), enabled: first !== undefined });
  const isDone = file === undefined || !isInProgress(file);
  const hasHistory = useHasHistory();
  const undoing = useMutation({
    mutationFn: async () => {
      // Offers that were added or changed by something else are kept, as far as there is a history.
      const { skipped_skus: left } = hasHistory ? await undoFile(TO, fileId) : { skipped_skus: undefined };
      const skus = left?.filter(({ reason }) => reason === 'offer_added').map(({ sku }) => sku) ?? all;
      let archived = 0;
      for (let start = 0; start < skus.length; start += LIMITS.offers_per_change_max) {
        const step = skus.slice(start, start + LIMITS.offers_per_change_max);
        archived += (await changeOffers(TO, {}, { change: 'archive', skus: step })).offers;
      }
      return archived;
    },
    onSuccess: () => refresh(),
  });
  const refresh = () =>
    Promise.all(['offers', 'overview', 'files'].map((name) => queryClient.invalidateQueries({ queryKey: [name, TO] })));
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the file is done.
  useEffect(() => {
    if (isDone) void refresh();
  }, [isDone]);
  if (file === undefined) return <Text>Nothing to copy: the offers are in live already.</Text>;
  const copied = file.rows_processed - file.rows_failed - file.rows_superseded;
  // Without a history, offers that were added to live meanwhile cannot be told from the copied ones.
  const isUndoable = hasHistory || file.rows_superseded === 0;
  return (
    <Stack>
      <FileProgress file={file} />
      <Text role="status">
        {undoing.isSuccess && undoneText(undoing.data, copied)}
        {!undoing.isSuccess && !isDone && 'You can close this dialog; the copy continues.'}
        {!undoing.isSuccess && isDone && doneText(file, copied)}
      </Text>
      {undoing.isError && <Failed error={undoing.error} />}
      <Group justify="flex-end">
        {isDone && copied > 0 && isUndoable && !undoing.isSuccess && (
          <Button variant="subtle" loading={undoing.isPending} onClick={() => undoing.mutate()}>
            Undo: archive them in live
          </Button>
        )}
        <ButtonLink variant="default" to="/$environment/offers" params={{ environment: TO }}>
          View offers in live
        </ButtonLink>
        <Button onClick={close}>Close</Button>
      </Group>
    </Stack>
  );
}

function doneText({ status, rows_failed: failed, rows_superseded: kept }: BulkFile, copied: number): string {
  return [
    status === 'Cancelled' && 'The copy was cancelled.',
    `${countOf(copied, 'offer')} copied. Those without issues are for sale after their review.`,
    failed > 0 && `${countOf(failed, 'offer')} failed: see Files in live.`,
    kept > 0 && `${countOf(kept, 'offer')} added to live meanwhile stay as they are.`,
  ]
    .filter(Boolean)
    .join(' ');
}

function undoneText(archived: number, copied: number): string {
  const kept = copied - archived;
  const done = `Undone: ${countOf(archived, 'offer')} archived in live.`;
  return kept <= 0 ? done : `${done} ${countOf(kept, 'offer')} changed since stay for sale.`;
}
