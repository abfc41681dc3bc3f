import { Type, type Static } from 'typebox'
import { shown } from '../../http/wire/fields.ts'

/** The installation: how it is, and what is set up for it. */
const number = (description: string) => Type.Number({ description, minimum: 0 })
const count = (description: string) => Type.Integer({ description, minimum: 0 })

const DatabaseView = Type.Object({
  version: shown.text({ description: 'Of PostgreSQL.' }),
  is_own: shown.flag({ description: 'Ours, under the data folder, or one that was there before.' }),
  bytes: number('How large it is.'),
  answered_in_ms: number('How long a short question took.'),
  started_at: shown.moment({ description: 'Since when it runs, UTC.' }),
  connections: Type.Object(
    {
      total: count('Open.'),
      idle: count('Of these not in use.'),
      waiting: count('Requests that wait for one.'),
    },
    { description: 'Of this process.' },
  ),
})

const WorkerView = Type.Object({
  runs_here: shown.flag({ description: 'Whether this process does due work, or leaves it to others.' }),
  is_behind: shown.flag({ description: 'Whether something has been due for more than five minutes.' }),
  last_round_at: Type.Optional(shown.moment({ description: 'When this process last did all of it, UTC.' })),
  last_failure: Type.Optional(
    Type.Object(
      {
        at: shown.moment({ description: 'When, UTC.' }),
        message: shown.text({ description: 'What was said.' }),
      },
      { description: 'The last round that failed; it was tried again.' },
    ),
  ),
})

const BackupView = Type.Object(
  {
    last_at: Type.Optional(
      shown.moment({ description: 'When the last good one was begun, UTC; absent: never.' }),
    ),
    bytes: number('How large that is.'),
    kept: count('Backups in the folder.'),
    next_at: shown.moment({ description: 'When the next one is due, UTC.' }),
    is_late: shown.flag({
      description: 'The last try failed, or none was made for two hours after it was due.',
    }),
    last_failure: Type.Optional(
      Type.Object({
        at: shown.moment({ description: 'When, UTC.' }),
        message: shown.text({ description: 'What was said.' }),
      }),
    ),
  },
  { description: 'Scheduled backups of the embedded database; absent where none are set up.' },
)

export const HealthView = Type.Object({
  version: shown.text({ description: 'Of Bursar.' }),
  mode: shown.oneOf(['sandbox', 'live'], { description: 'Play money or real money.' }),
  role: shown.oneOf(['all', 'api', 'worker'], { description: 'What this process does.' }),
  now: shown.moment({ description: 'By the clock, UTC.' }),
  database: DatabaseView,
  migrations: Type.Object({
    version: count('How far the database is.'),
    expected: count('How far this version wants it.'),
    name: shown.text({ description: 'The last one.' }),
    applied_at: shown.moment({ description: 'When it ran, UTC.' }),
  }),
  workers: WorkerView,
  backup: Type.Optional(BackupView),
  disk: Type.Optional(
    Type.Object(
      {
        free_bytes: number('Free.'),
        total_bytes: number('In all.'),
        is_almost_full: shown.flag({ description: 'Less than a tenth, or less than 1 GiB, is free.' }),
      },
      { description: 'Of the data folder; absent where there is none.' },
    ),
  ),
  numbers: Type.Object(
    {
      up_seconds: number('Since when it runs.'),
      requests: count('Answered.'),
      failures: count('Answered with 500 or more.'),
      mean_ms: Type.Optional(number('How long a request takes.')),
      p95_ms: Type.Optional(number('What 95 of 100 stay below, estimated.')),
      memory_bytes: number('Resident.'),
      cpu_seconds: number('Used.'),
      event_loop_lag_ms: number('99 of 100 stay below.'),
      requests_not_logged: count('Requests of ERPs that the log had no room for.'),
    },
    { description: 'Of this process since its start.' },
  ),
})

const ProviderView = Type.Object({
  name: shown.text({ description: 'Its name.' }),
  is_current: shown.flag({ description: 'Whether new ones go to it.' }),
  does: Type.Array(shown.text({ description: 'Such as mandates.' }), { description: 'What it is used for.' }),
  key: Type.Optional(shown.oneOf(['test', 'live'], { description: 'Of what kind its key is.' })),
})

export const ProvidersView = Type.Object({
  mode: shown.oneOf(['sandbox', 'live'], { description: 'Play money or real money.' }),
  payments: Type.Array(ProviderView, { description: 'Money moves through these.' }),
  lenders: Type.Array(ProviderView, { description: 'Loans come from these.' }),
  channels: Type.Array(
    Type.Object({
      channel: shown.oneOf(['email', 'sms', 'whatsapp'], { description: 'How people are told.' }),
      by: Type.Optional(shown.text({ description: 'By what they leave; absent: nothing is set up.' })),
    }),
  ),
})

export type HealthAnswer = Static<typeof HealthView>
export type ProvidersAnswer = Static<typeof ProvidersView>
