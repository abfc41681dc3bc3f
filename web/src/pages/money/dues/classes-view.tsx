import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ClassAnswer } from '../../../../../src/console/reports/class-sheets/class-sheets.schemas.ts'
import { get } from '../../../api/client.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { Dialogue } from '../../../ui/dialogue/dialogue.tsx'
import { SheetButtons } from '../../../ui/file/save-file.tsx'
import { formatCount, formatRupees } from '../../../ui/money.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { ShortTable } from '../../../ui/table/short-table.tsx'
import { ReportMails } from '../report-mails.tsx'

/** Who is late, class by class: sheets for the class teachers, to print or to be mailed. */
export function ClassesView() {
  const path = `${useInstitutePath()}/money`
  const sheets = `${path}/class-sheets`
  const mayChange = useMay('owner', 'finance')
  const [isMailing, setIsMailing] = useState(false)
  const [changed, setChanged] = useState<ClassAnswer | null>(null)
  const classes = useQuery({
    queryKey: ['money-classes', path],
    queryFn: ({ signal }) => get<ClassAnswer[]>(`${path}/classes`, {}, signal),
  })
  if (classes.isPending) return <Loading />
  if (classes.isError) return <Failed error={classes.error} retry={() => void classes.refetch()} />
  if (classes.data.length === 0)
    return <Empty title="No classes yet" description="The classes of your students are listed here." />
  const late = classes.data.filter(one => one.late > 0)
  return (
    <>
      <Group justify="space-between" mb="md">
        <p className="faint">
          {late.length === 0
            ? 'Nobody is late in any class.'
            : `${formatCount(late.reduce((sum, one) => sum + one.late, 0))} students of ${formatCount(late.length)} classes are late.`}
        </p>
        <Group gap="xs">
          <SheetButtons path={sheets} sent={{}} label="All classes" />
          <Button size="xs" variant="default" onClick={() => setIsMailing(true)}>
            Mail to class teachers
          </Button>
        </Group>
      </Group>
      {isMailing && <ReportMails what="class_sheets" onClose={() => setIsMailing(false)} />}
      {changed !== null && <TeacherForm of={changed} onClose={() => setChanged(null)} />}
      <ShortTable
        name="Classes"
        rows={classes.data}
        rowId={row => `${row.collector_code} ${row.title}`}
        columns={[
          { title: 'Class', cell: row => <strong>{row.title}</strong> },
          { title: 'Students', isAmount: true, cell: row => formatCount(row.students) },
          { title: 'Late', isAmount: true, cell: row => (row.late === 0 ? '–' : formatCount(row.late)) },
          { title: 'Overdue with late fee', isAmount: true, cell: row => amountOf(row.owed) },
          { title: 'On the way', isAmount: true, cell: row => amountOf(row.on_the_way_amount) },
          { title: 'Class teacher', cell: row => <Teacher of={row} /> },
          {
            title: 'Actions',
            isAction: true,
            cell: row => (
              <Group gap="xs" justify="flex-end">
                {mayChange && (
                  <Button size="xs" variant="subtle" onClick={() => setChanged(row)}>
                    {row.teacher_name === undefined ? 'Enter teacher' : 'Change teacher'}
                  </Button>
                )}
                {row.late > 0 && <SheetButtons path={sheets} sent={classOf(row)} of={row.title} />}
              </Group>
            ),
          },
        ]}
      />
    </>
  )
}

function Teacher({ of: { teacher_name: name, teacher_email: email } }: { of: ClassAnswer }) {
  if (name === undefined) return <span className="faint">Nobody entered</span>
  return (
    <>
      {name}
      <div className="faint">{email ?? 'No e-mail address'}</div>
    </>
  )
}

const amountOf = (rupees: number): string => (rupees === 0 ? '–' : formatRupees(rupees))

const classOf = ({ collector_code, grade, section }: ClassAnswer) => {
  return { collector_code, grade, section: section || undefined }
}

function TeacherForm({ of, onClose }: { of: ClassAnswer; onClose: () => void }) {
  const path = useInstitutePath()
  const [name, setName] = useState(of.teacher_name ?? '')
  const [email, setEmail] = useState(of.teacher_email ?? '')
  const { collector_code, grade, section } = of
  const save = useCommand<Record<string, unknown>>({
    method: 'PUT',
    path: `${path}/money/classes/teacher`,
    refreshes: ['money-classes', 'audit'],
    onDone: onClose,
  })
  return (
    <Dialogue title={`Class teacher of ${of.title}`} onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          save.mutate({ collector_code, grade, section, name, email })
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="Name"
            description="Empty takes the teacher off this class."
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            error={problemOf(save.error, 'name')}
          />
          <TextInput
            label="E-mail"
            type="email"
            value={email}
            onChange={event => setEmail(event.currentTarget.value)}
            error={problemOf(save.error, 'email')}
          />
          <Problem error={save.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialogue>
  )
}
