/** Dialog that shows the fixes of all offers with an issue, and applies the chosen ones as one bulk file. */
import { Badge, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Fix } from '../../../api/offer.ts';
import type { OfferFilters } from '../../../api/offer-filters.ts';
import { type FixableOffer, fixesQuery, fixOffers } from '../../../api/offers.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { Dialog, DialogButtons } from '../../../ui/dialog.tsx';
import { useEnvironment } from '../../../ui/environment.ts';
import { FixText } from '../../../ui/forms/fix-text.tsx';
import { countOf } from '../../../ui/numbers.ts';
import { QueryView } from '../../../ui/query-view.tsx';
import { Failed } from '../../../ui/states.tsx';
import { Result } from './change-result.tsx';

/** Rows that are shown at first. */
const SHOWN = 100;

interface FixOffersProps {
  readonly filters: OfferFilters;
  readonly close: () => void;
}

export function FixOffers({ filters, close }: FixOffersProps) {
  const environment = useEnvironment();
  const queryClient = useQueryClient();
  // The list changes while the fixes are applied.
  const [asked] = useState(filters);
  const found = useQuery(fixesQuery(environment, asked));
  const fixing = useMutation({
    mutationFn: (chosen: readonly FixableOffer[]) => fixOffers(environment, chosen),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['files', environment] }),
  });
  return (
    <Dialog isOpen close={close} title="Fix offers" size="xl" hold={fixing.isPending ? 'busy' : undefined}>
      {fixing.data !== undefined && <Result changed={fixing.data} close={close} />}
      {fixing.data === undefined && (
        <QueryView query={found} what="fixes">
          {({ offers, examined, isMore }) => (
            <Choice offers={offers} close={close} apply={fixing.mutate} isPending={fixing.isPending}>
              {isMore && (
                <Text size="sm">
                  Only the first {countOf(examined, 'offer')} were checked. To reach the others, fix these first or
                  filter the list.
                </Text>
              )}
              {fixing.isError && <Failed error={fixing.error} />}
            </Choice>
          )}
        </QueryView>
      )}
    </Dialog>
  );
}

interface Row {
  readonly sku: string;
  readonly title: string;
  readonly fix: Fix;
}

const keyOf = ({ sku, fix }: Row) => `${sku} ${fix.id}`;
const isLikely = ({ fix }: Row) => fix.confidence === 'likely';
const chosenOf = (rows: readonly Row[], chosen: ReadonlySet<string>) =>
  rows.filter((row) => chosen.has(keyOf(row))).length;

interface ChoiceProps {
  readonly offers: readonly FixableOffer[];
  readonly close: () => void;
  readonly apply: (chosen: readonly FixableOffer[]) => void;
  readonly isPending: boolean;
  readonly children: ReactNode;
}

/** Certain fixes are selected at first. Likely ones come first, because the user has to decide on them. */
function Choice({ offers, close, apply, isPending, children }: ChoiceProps) {
  const [shown, setShown] = useState(SHOWN);
  const all: readonly Row[] = offers.flatMap(({ sku, title, fixes }) => fixes.map((fix) => ({ sku, title, fix })));
  const likely = all.filter(isLikely);
  const certain = all.filter((row) => !isLikely(row));
  const rows = [...likely, ...certain];
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(certain.map(keyOf)));
  const choose = (some: readonly Row[], isChosen: boolean) => {
    const keys = some.map(keyOf);
    setChosen(new Set(isChosen ? [...chosen, ...keys] : [...chosen].filter((key) => !keys.includes(key))));
  };
  const sent = offers
    .map(({ fixes, ...offer }) => {
      return { ...offer, fixes: fixes.filter((fix) => chosen.has(keyOf({ ...offer, fix }))) };
    })
    .filter(({ fixes }) => fixes.length > 0);
  if (rows.length === 0) {
    return (
      <Stack>
        <Text>No fix is known for these offers. Open an offer to correct it.</Text>
        {children}
        <Group justify="flex-end">
          <Button onClick={close}>Close</Button>
        </Group>
      </Stack>
    );
  }
  return (
    <Stack>
      <Text>
        {countOf(offers.length, 'offer')} can be fixed.{' '}
        {certain.length > 0 && `${countOf(chosenOf(certain, chosen), 'certain change')} selected. `}
        {likely.length > 0 && `Check ${countOf(likely.length, 'likely change')} before you select them.`}
      </Text>
      {likely.length > 0 && (
        <SelectAll label="Select all likely changes" rows={likely} chosen={chosen} choose={choose} />
      )}
      {certain.length > 0 && (
        <SelectAll label="Select all certain changes" rows={certain} chosen={chosen} choose={choose} />
      )}
      <DataTable
        minWidth={560}
        maxHeight={420}
        rows={rows.slice(0, shown)}
        keyOf={keyOf}
        columns={[
          {
            head: 'Apply',
            cell: (row) => (
              <Checkbox
                aria-label={`Fix ${row.sku}: ${row.fix.text}`}
                checked={chosen.has(keyOf(row))}
                onChange={({ currentTarget }) => choose([row], currentTarget.checked)}
              />
            ),
          },
          {
            head: 'Offer',
            cell: ({ sku, title }) => (
              <>
                <Text size="sm">{title.trim() || 'No title'}</Text>
                <Text size="xs" c="dimmed">
                  {sku}
                </Text>
              </>
            ),
            td: { className: 'anywhere' },
          },
          { head: 'Change', cell: ({ fix }) => <FixText fix={fix} /> },
          {
            head: 'How sure',
            cell: (row) => (
              <Badge variant="light" tt="none" color={isLikely(row) ? 'yellow' : 'green'}>
                {isLikely(row) ? 'Likely' : 'Certain'}
              </Badge>
            ),
          },
        ]}
      />
      {shown < rows.length && (
        <Button variant="default" onClick={() => setShown(shown + SHOWN)}>
          Show more
        </Button>
      )}
      {children}
      <DialogButtons close={close} isPending={isPending} disabled={sent.length === 0} confirm={() => apply(sent)}>
        Fix {countOf(sent.length, 'offer')}
      </DialogButtons>
    </Stack>
  );
}

interface SelectAllProps {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly chosen: ReadonlySet<string>;
  readonly choose: (rows: readonly Row[], isChosen: boolean) => void;
}

function SelectAll({ label, rows, chosen, choose }: SelectAllProps) {
  const count = chosenOf(rows, chosen);
  return (
    <Checkbox
      label={`${label} (${rows.length})`}
      checked={count === rows.length}
      indeterminate={count > 0 && count < rows.length}
      onChange={() => choose(rows, count < rows.length)}
    />
  );
}
