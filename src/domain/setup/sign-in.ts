/** Describes the bodies with which people sign in, set a password and change it. */
import { type BodyCheck, createBodyCheck } from '../bodies/body-check.ts';
import { FilledText, OneOf, Text } from '../check/schema.ts';
import { type Static, Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';

/** Only the length is checked, because it bounds the cost of hashing. The password may predate the current rules. */
function PasswordToTry() {
  return Text(LIMITS.password_characters_max);
}

/** Length is the only rule: rules about kinds of characters make people write passwords down. */
function NewPassword() {
  return Text(LIMITS.password_characters_max, { min: LIMITS.password_characters_min });
}

export const SignInBody = Type.Object({
  email: Text(LIMITS.email_characters_max, { description: 'Not case-sensitive.' }),
  password: PasswordToTry(),
});

function LinkToken() {
  return Text(LIMITS.link_token_characters_max, { description: 'The part after `#` in the link.' });
}

export const LinkBody = Type.Object({ token: LinkToken() });

export const ProviderBeginBody = Type.Object({
  ask_again: Type.Optional(
    Type.Boolean({ description: 'Whether the provider must ask the person even if they are signed in there.' }),
  ),
});

export const ProviderResponseBody = Type.Object({
  query: Text(LIMITS.provider_response_characters_max, {
    description: 'The query of the URL to which the provider redirected, with code and state.',
  }),
});

/** The fields of a public key credential that are the same for a new passkey and for a sign-in, as browsers write them. */
const CREDENTIAL = {
  id: Text(LIMITS.passkey_id_characters_max),
  rawId: Text(LIMITS.passkey_id_characters_max),
  type: OneOf(['public-key']),
};

function AuthenticatorText() {
  return Text(LIMITS.passkey_text_characters_max, {
    description: 'As `toJSON()` of the credential returns it, base64url.',
  });
}

export const PasskeySignInBody = Type.Object({
  email: Type.Optional(
    Text(LIMITS.email_characters_max, {
      description: 'Passkeys of other users are refused. If absent, any user may sign in.',
    }),
  ),
  credential: Type.Object({
    ...CREDENTIAL,
    response: Type.Object({
      clientDataJSON: AuthenticatorText(),
      authenticatorData: AuthenticatorText(),
      signature: AuthenticatorText(),
    }),
  }),
});

export const NewPasskeyBody = Type.Object({
  name: FilledText(LIMITS.passkey_name_characters_max, {
    description: 'Your name for it. White space around it is removed.',
  }),
  credential: Type.Object({
    ...CREDENTIAL,
    response: Type.Object({ clientDataJSON: AuthenticatorText(), attestationObject: AuthenticatorText() }),
  }),
});

export const PasskeyNeedBody = Type.Object({
  needed: Type.Boolean({ description: 'Whether the password alone is not enough to sign in.' }),
});

export const FirstPasswordBody = Type.Object({ token: LinkToken(), password: NewPassword() });

export const PasswordChangeBody = Type.Object({ current_password: PasswordToTry(), password: NewPassword() });

export function createPasswordChangeCheck(names: Names): BodyCheck<Static<typeof PasswordChangeBody>> {
  return createBodyCheck(PasswordChangeBody, names, ({ current_password, password }, _sent, report) => {
    if (password !== undefined && password === current_password) {
      report.add('not_allowed', 'must differ from the current password', 'password');
    }
  });
}
