import { PasswordInput, TextInput } from '@mantine/core'
import type { AccountSetupAnswer } from '../../../../../src/providers/accounts/account.schemas.ts'
import { problemOf } from '../../../api/command.ts'

type Setting = AccountSetupAnswer['providers'][number]['settings'][number]
export type Values = Readonly<Record<string, string>>

/** Leaves out empty fields, which the server would take as values. */
export function toSettings(values: Values): { field: string; value: string }[] {
  return Object.entries(values)
    .filter(([, value]) => value.trim() !== '')
    .map(([field, value]) => ({ field, value: value.trim() }))
}

/** The credentials of a provider. They are sent once and never come back. */
export function SettingsFields({
  settings,
  values,
  onChange,
  error,
  isRotation = false,
}: {
  settings: readonly Setting[]
  values: Values
  onChange: (values: Values) => void
  error: Error | null
  isRotation?: boolean
}) {
  return settings.map(({ field, label, help, is_secret: isSecret, is_optional: isOptional }) => {
    const Field = isSecret ? PasswordInput : TextInput
    return (
      <Field
        key={field}
        label={label}
        description={isRotation ? 'Leave it empty to keep the present one.' : help}
        required={!isRotation && !isOptional}
        autoComplete="off"
        spellCheck={false}
        value={values[field] ?? ''}
        onChange={event => onChange({ ...values, [field]: event.currentTarget.value })}
        error={problemOf(error, `settings.${field}`)}
      />
    )
  })
}
