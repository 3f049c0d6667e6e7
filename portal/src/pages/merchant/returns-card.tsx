/** Return policy: return window and shipping methods. */
import { Button, Group, MultiSelect, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type Merchant, merchantQuery } from '../../api/account-settings.ts';
import { api, ask } from '../../api/client.ts';
import { useMayChange } from '../../api/session.ts';
import { methodChoices } from '../../ui/forms/choices.ts';
import { useHeldForm } from '../../ui/forms/held-form.ts';
import { NumberField } from '../../ui/forms/number-field.tsx';
import { useUnsaved } from '../../ui/forms/unsaved.tsx';
import { useFormMutation } from '../../ui/forms/use-form-mutation.ts';
import { Panel } from '../../ui/panel.tsx';
import { ProblemList } from '../../ui/problem-list.tsx';
import { QueryView } from '../../ui/query-view.tsx';

export function ReturnsCard() {
  const merchant = useQuery(merchantQuery);
  return (
    <Panel title="Returns" about="Applies to test and live.">
      <QueryView query={merchant} what="return policy">
        {(found) => <ReturnsForm merchant={found} />}
      </QueryView>
    </Panel>
  );
}

const FIELDS = ['time_to_return_days', 'return_shipping_methods'];

function ReturnsForm({ merchant }: { readonly merchant: Merchant }) {
  const queryClient = useQueryClient();
  const mayChange = useMayChange();
  const { time_to_return_days, return_shipping_methods } = merchant;
  const { form, isDirty } = useHeldForm({ time_to_return_days, return_shipping_methods });
  useUnsaved(isDirty);
  const saving = useFormMutation({
    form,
    fields: FIELDS,
    mutationFn: (body: typeof form.values) => ask(api.PUT('/merchant', { body })),
    onSuccess: async (_answer, sent) => {
      form.resetDirty(sent);
      await queryClient.invalidateQueries({ queryKey: merchantQuery.queryKey });
      notifications.show({ message: 'Saved.', color: 'green' });
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => saving.mutate(values))}>
      <Stack maw={480}>
        <ProblemList problems={saving.problems} />
        <NumberField
          label="Return window (days)"
          min={1}
          allowDecimal={false}
          readOnly={!mayChange}
          {...form.getInputProps('time_to_return_days')}
        />
        <MultiSelect
          label="Return shipping methods"
          data={methodChoices(merchant.choices.return_shipping_methods)}
          readOnly={!mayChange}
          {...form.getInputProps('return_shipping_methods')}
        />
        {mayChange && (
          <Group>
            <Button type="submit" loading={saving.isPending} disabled={!isDirty}>
              Save
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}
