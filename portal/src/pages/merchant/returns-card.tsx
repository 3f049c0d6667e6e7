/** Return policy: return window and shipping methods. */
import { MultiSelect } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type Merchant, merchantQuery } from '../../api/account-settings.ts';
import { api, ask } from '../../api/client.ts';
import { useMayChange } from '../../api/session.ts';
import { methodChoices } from '../../ui/forms/choices.ts';
import { useHeldForm } from '../../ui/forms/held-form.ts';
import { NumberField } from '../../ui/forms/number-field.tsx';
import { type Fields, SavingForm, useSaving } from '../../ui/forms/saving.tsx';
import { Panel } from '../../ui/panel.tsx';
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

const fields: Fields = {
  names: () => ['time_to_return_days', 'return_shipping_methods'],
  nameOf: (pointer) => pointer.split('/')[1],
};

function ReturnsForm({ merchant }: { readonly merchant: Merchant }) {
  const queryClient = useQueryClient();
  const mayChange = useMayChange();
  const { time_to_return_days, return_shipping_methods, etag } = merchant;
  const held = useHeldForm({ time_to_return_days, return_shipping_methods }, etag);
  const { form } = held;
  const saving = useSaving({
    held,
    fields,
    save: (body, header) => ask(api.PUT('/merchant', { params: { header }, body })),
    refresh: () => queryClient.invalidateQueries({ queryKey: merchantQuery.queryKey }),
  });
  return (
    <SavingForm saving={saving} held={held} fields={fields} mayChange={mayChange} changesAt="" maw={480}>
      <NumberField
        label="Return window (days)"
        isWhole
        readOnly={!mayChange}
        {...form.getInputProps('time_to_return_days')}
      />
      <MultiSelect
        label="Return shipping methods"
        data={methodChoices(merchant.choices.return_shipping_methods)}
        readOnly={!mayChange}
        {...form.getInputProps('return_shipping_methods')}
      />
    </SavingForm>
  );
}
