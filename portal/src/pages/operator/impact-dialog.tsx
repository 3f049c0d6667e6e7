/** Dialog that shows how many offers a rule change affects, and applies or announces it once it is confirmed. */
import { Alert, Stack, Text, type TextInputProps } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { LIMITS } from '#domain/limits.ts';
import type { SearchFilters } from '../../api/operator-offers.ts';
import type { components } from '../../api/schema.d.ts';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { DateField } from '../../ui/forms/date-field.tsx';
import { timeOf } from '../../ui/forms/local-date.ts';
import { useFormMutation } from '../../ui/forms/use-form-mutation.ts';
import { TextLink } from '../../ui/links.tsx';
import { countOf, countText } from '../../ui/numbers.ts';
import { ProblemList } from '../../ui/problem-list.tsx';
import { Failed } from '../../ui/states.tsx';

export type Impact = NonNullable<components['schemas']['UndoRuleChangeAnswer']['impact']>;

interface Answer {
  readonly impact: Impact | null;
}

/** Query parameters of every call that changes rules. */
export interface ChangeQuery {
  readonly preview?: 'true';
  readonly confirmed?: 'true';
  readonly enforced_from?: string;
}

export interface RuleChange {
  readonly title: string;
  /** Label of the button that applies it. */
  readonly action: string;
  readonly about?: ReactNode;
  /** True if the change can be announced with a date. */
  readonly isDated?: boolean;
  readonly send: (query: ChangeQuery) => Promise<Answer>;
  /** Filters that find the affected offers, if the operator's search can. */
  readonly search?: SearchFilters;
  /** The impact, if a preview was made before. */
  readonly impact?: Impact | null;
  readonly done?: () => void;
}

/** A change to more offers than this counts as dangerous. */
const { unconfirmed_offers_max: FEW_OFFERS_MAX } = LIMITS;

interface ImpactDialogProps {
  /** The change to confirm; undefined while the dialog is closed. */
  readonly change: RuleChange | undefined;
  readonly close: () => void;
}

export function ImpactDialog({ change, close }: ImpactDialogProps) {
  return (
    <Dialog isOpen={change !== undefined} close={close} title={change?.title ?? ''}>
      {change && <ImpactStep change={change} close={close} />}
    </Dialog>
  );
}

function ImpactStep({ change, close }: { readonly change: RuleChange; readonly close: () => void }) {
  const queryClient = useQueryClient();
  const preview = useQuery({
    queryKey: ['impact', change.title],
    queryFn: () => change.send({ preview: 'true' }),
    ...(change.impact === undefined ? {} : { initialData: { impact: change.impact } }),
    // Each dialog counts again, and its figures do not change while it is open.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const form = useForm({ initialValues: NO_DATE });
  const isAtOnce = form.values.enforced_from === '';
  const applying = useFormMutation({
    form,
    fields: DATE_FIELDS,
    mutationFn: (date: DateValues) => change.send({ confirmed: 'true', ...dateQuery(date) }),
    onSuccess: async (_answer, date) => {
      const message = date.enforced_from === '' ? 'Applied. Affected offers are being re-reviewed.' : ANNOUNCED;
      notifications.show({ message, color: 'green' });
      close();
      change.done?.();
      // The preview is not refetched, because the server would refuse to apply the same change again.
      await queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'impact' });
    },
  });
  const offers = preview.data?.impact?.offers ?? 0;
  const submit = form.onSubmit((date) => applying.mutate(date));
  return (
    <form
      onSubmit={(event) => {
        // The dialog may be inside another form, which must not be submitted too.
        event.stopPropagation();
        submit(event);
      }}
    >
      <Stack>
        {change.about && <Text component="div">{change.about}</Text>}
        {preview.isPending && <Text role="status">Counting affected offers…</Text>}
        {preview.isError && <Failed error={preview.error} />}
        {preview.data?.impact && <ImpactText impact={preview.data.impact} search={change.search} />}
        <ProblemList problems={applying.problems} />
        {change.isDated && <ApplyOn {...form.getInputProps('enforced_from')} />}
        <DialogButtons
          close={close}
          isPending={applying.isPending}
          disabled={preview.data === undefined}
          {...(offers > FEW_OFFERS_MAX && isAtOnce ? { color: 'red' } : {})}
        >
          {isAtOnce ? change.action : 'Announce'}
        </DialogButtons>
      </Stack>
    </form>
  );
}

export interface DateValues {
  /** Value of the field; empty if the change applies at once. */
  readonly enforced_from: string;
}

export const NO_DATE: DateValues = { enforced_from: '' };
export const DATE_FIELDS = Object.keys(NO_DATE);
export const ANNOUNCED = 'Announced. Open Changes to change its date or cancel it.';

export function dateQuery({ enforced_from: text }: DateValues): Pick<ChangeQuery, 'enforced_from'> {
  const at = timeOf(text);
  return at === undefined ? {} : { enforced_from: at };
}

export function ApplyOn(props: TextInputProps) {
  return (
    <DateField
      label="Apply on"
      description={`Optional, in your time zone, at least ${LIMITS.announced_hours_min} hour ahead. Leave empty to apply at once.`}
      {...props}
    />
  );
}

interface ImpactTextProps {
  readonly impact: Impact;
  readonly search?: SearchFilters | undefined;
}

export function ImpactText({ impact, search }: ImpactTextProps) {
  const { offers, live, merchants, off_sale: offSale, exact, examined, products } = impact;
  const about = exact ? '' : 'About ';
  const title =
    products !== undefined
      ? `${about}${countOf(products, 'product')} will have another best offer, and ${countOf(offers, 'offer')} another rank`
      : offers === 0 && exact
        ? 'No offers change status'
        : `${about}${countOf(offers, 'offer')} of ${countOf(merchants, 'merchant')} will change status`;
  return (
    <Alert color={offSale > FEW_OFFERS_MAX ? 'red' : offers > 0 ? 'yellow' : 'gray'} title={title}>
      {offers > 0 && live !== null && (
        <Text size="sm">{`${countText(live)} live, ${countText(offers - live)} in the test environment.`}</Text>
      )}
      {offSale > 0 && <Text size="sm">{`${about}${countOf(offSale, 'live offer')} will no longer be for sale.`}</Text>}
      <Text size="sm" c="dimmed">
        {exact ? 'Exact count.' : `Estimated from a sample of ${countText(examined)} offers.`} You can undo the change
        for {LIMITS.rule_change_undo_days} days.
      </Text>
      {offers > 0 && search && (
        <TextLink to="/operator/offers" search={search} size="sm" underline="always" target="_blank">
          View matching offers in a new tab
        </TextLink>
      )}
    </Alert>
  );
}
