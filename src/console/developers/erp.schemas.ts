import { Type, type Static } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'
import { LOOKUP_PARAMETERS } from '../../erp/erp.rules.ts'
import { MOST_CALLS } from '../../erp/settings/settings.rules.ts'
import { FetchTestBody, FetchTestView } from '../../erp/pull/pull.schemas.ts'

/** Where an ERP is asked for students. */
const AUTH_KINDS = ['none', 'basic', 'header'] as const
const reason = field.text({ description: 'Why; stands in the audit log.', examples: ['The ERP has moved'] })
const branch = Type.Optional(
  field.code({ description: 'Only for this branch; absent: for the whole institute.', examples: ['MAIN'] }),
)

const SettingsView = Type.Object({
  collector_code: Type.Optional(shown.text({ description: 'Absent: for the whole institute.' })),
  url: shown.text({ description: 'The fetch-student endpoint.' }),
  auth: shown.oneOf(AUTH_KINDS, { description: 'How it is told who asks. The secret is never shown.' }),
  username: Type.Optional(shown.text({ description: 'Of Basic authentication.' })),
  header_name: Type.Optional(shown.text({ description: 'The header that carries the secret.' })),
  lookup: Type.Array(shown.oneOf(LOOKUP_PARAMETERS, { description: 'A parameter.' }), {
    description: 'What is sent in the query.',
  }),
  custom_schedule: shown.flag({ description: 'Whether its payment schedule is taken for plans.' }),
  max_calls: Type.Integer({ description: 'Calls at once.' }),
  updated_at: shown.moment({ description: 'When this was set, UTC.' }),
})

export const ErpSettingsView = Type.Object({
  branches: Type.Array(
    Type.Object({
      collector_code: shown.text({ description: 'The branch.' }),
      name: shown.text({ description: 'Its name.' }),
      is_default: shown.flag({ description: 'Whether it is the default one.' }),
    }),
    { description: 'Of the institute.' },
  ),
  settings: Type.Array(SettingsView, { description: "The institute's own, then those of branches." }),
})

export const SetErpBody = Type.Object({
  collector_code: branch,
  url: field.url({
    description: 'The fetch-student endpoint.',
    examples: ['https://erp.example.in/fetch-student'],
  }),
  username: Type.Optional(field.text({ description: 'Of Basic authentication.' }, 128)),
  password: Type.Optional(
    field.text({ description: 'Absent: as it is set, while host and user name stay the same.' }),
  ),
  header: Type.Optional(
    Type.Object(
      {
        name: field.text({ description: 'Its name, such as X-Api-Key.' }, 128),
        value: Type.Optional(
          field.text({ description: 'Absent: as it is set, while host and name stay the same.' }),
        ),
      },
      { description: 'A header in place of user name and password.' },
    ),
  ),
  lookup: Type.Optional(
    Type.Array(field.oneOf(LOOKUP_PARAMETERS, { description: 'A parameter.' }), {
      description: 'What is sent in the query; identifier always.',
      maxItems: LOOKUP_PARAMETERS.length,
      examples: [['identifier']],
    }),
  ),
  custom_schedule: Type.Optional(
    field.flag({ description: 'Whether its payment schedule is taken for plans.', examples: [false] }),
  ),
  max_calls: Type.Optional(
    field.wholeNumber({ description: 'Calls at once; standard 4.', examples: [4] }, [1, MOST_CALLS]),
  ),
  reason,
})

export const RemoveErpBody = Type.Object({ collector_code: branch, reason })
export const TestErpBody = FetchTestBody
export const TestErpView = FetchTestView

export type ErpSettingsAnswer = Static<typeof ErpSettingsView>
export type TestErpAnswer = Static<typeof TestErpView>
