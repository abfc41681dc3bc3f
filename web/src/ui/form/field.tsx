import { TextInput, type TextInputProps } from '@mantine/core'
import { problemOf, wholeProblem } from '../../api/command.ts'
import { ApiError } from '../../api/client.ts'
import { ProblemAlert } from '../problem.tsx'

/** A form's values by the names that the API has for them. */
export type Values = Readonly<Record<string, string>>

export type Form = {
  values: Values
  set: (changes: Values) => void
  error: Error | null
}

/** A text field with the server's error beside it. */
export function Field({ form, name, ...props }: { form: Form; name: string } & Omit<TextInputProps, 'form'>) {
  return (
    <TextInput
      {...props}
      value={form.values[name] ?? ''}
      onChange={event => form.set({ [name]: event.currentTarget.value })}
      error={props.error ?? problemOf(form.error, name)}
    />
  )
}

/** What ties an input of an amount or a day to a form. */
export function boundTo(form: Form, name: string) {
  return {
    value: form.values[name] ?? '',
    onChange: (value: string) => form.set({ [name]: value }),
    error: problemOf(form.error, name),
  }
}

/** What is wrong with the whole, or with which fields; some of them may be out of sight. */
export function FormProblem({
  error,
  named,
}: {
  error: Error | null
  /** The fields as the form calls them; the API's names if absent. */
  named?: readonly { label: string; message: string }[]
}) {
  if (error === null) return null
  const problems = error instanceof ApiError && named === undefined ? error.problems : []
  return (
    <ProblemAlert title={wholeProblem(error) ?? 'Please look at the fields marked above'}>
      {named?.map(({ label, message }) => (
        <div key={label}>
          <strong>{label}</strong> {message}
        </div>
      ))}
      {problems.map(({ key, message }) => (
        <div key={key}>
          <span className="mono">{key}</span> {message}
        </div>
      ))}
    </ProblemAlert>
  )
}

/** Codes to choose from while typing. */
export function CodeList({
  id,
  entries,
}: {
  id: string
  entries: readonly { code: string; name: string }[]
}) {
  return (
    <datalist id={id}>
      {entries.map(({ code, name }) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </datalist>
  )
}
