import { Alert, Button, Group, Progress } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ClassApplicationAnswer } from '../../../../../src/console/students/fees/fees.output.ts'
import type { StructureAnswer } from '../../../../../src/fees/structures/structure.schemas.ts'
import { send } from '../../../api/client.ts'
import { problemOf, wholeProblem } from '../../../api/command.ts'
import { ProblemAlert } from '../../../ui/problem.tsx'
import { useMay } from '../../../api/session.ts'
import { counted, formatCount, formatRupees } from '../../../ui/money.tsx'
import { ShortTable } from '../../../ui/table/short-table.tsx'
import { isKept } from '../../approvals/kept.ts'
import { AFTER_CHANGE } from '../use-student.ts'
import { WhyLower } from './why-lower.tsx'

/** `waits`: until a second person approves it. */
type AppliedClass = ClassApplicationAnswer & { waits?: true }
type Run = { isPreview: boolean; done: AppliedClass[]; failure: string | null; isOver: boolean }

/** Gives the fees of the structure to classes, one after the other; setting one again changes nothing. */
export function ApplyClasses({ path, structure }: { path: string; structure: StructureAnswer }) {
  const client = useQueryClient()
  const mayApply = useMay('owner', 'finance')
  const [run, setRun] = useState<Run>()
  const [reason, setReason] = useState('')
  const { grades } = structure
  const why = reason.trim() === '' ? {} : { reason: reason.trim() }
  const start = async (isPreview: boolean): Promise<void> => {
    const done: AppliedClass[] = []
    setRun({ isPreview, done, failure: null, isOver: false })
    try {
      for (const grade of grades) {
        done.push(await applyClass(`${path}/apply`, { grade, preview: isPreview, ...why }))
        setRun({ isPreview, done: [...done], failure: null, isOver: false })
      }
      setRun({ isPreview, done, failure: null, isOver: true })
    } catch (error) {
      const missing = error instanceof Error ? problemOf(error, 'reason') : undefined
      const failure =
        missing !== undefined
          ? 'Families would pay less, which a colleague has to approve. Say why above.'
          : error instanceof Error
            ? wholeProblem(error)
            : undefined
      setRun({ isPreview, done, failure: failure ?? String(error), isOver: true })
    }
    if (!isPreview) for (const key of AFTER_CHANGE) void client.invalidateQueries({ queryKey: [key] })
  }
  if (!mayApply) return null
  return (
    <section aria-label="Apply to the classes" className="file-now">
      <h2 className="section-title">Apply to the classes</h2>
      <p>
        The students of each class get the fees that are saved above. Look at the preview first; applying
        twice charges nobody twice. Students who are added later get the fees of their class by themselves.
      </p>
      <Group mb="sm">
        <Button variant="default" loading={run?.isOver === false} onClick={() => void start(true)}>
          Preview
        </Button>
        {run?.isPreview === true &&
          run.isOver &&
          run.failure === null &&
          countOf(run.done, 'changed') > 0 && (
            <Button onClick={() => void start(false)}>{applyLabel(run.done)}</Button>
          )}
      </Group>
      {run !== undefined && isLower(run.done) && <WhyLower value={reason} onChange={setReason} />}
      {run !== undefined && <Shown run={run} total={grades.length} />}
    </section>
  )
}

const NOTHING_YET: Omit<AppliedClass, 'grade'> = { students: [], classes_without_fees: [], preview: false }

/** A large class is answered in parts; one that waits for a second person has none yet. */
async function applyClass(
  path: string,
  body: { grade: string; preview: boolean; reason?: string },
): Promise<AppliedClass> {
  const students: AppliedClass['students'] = []
  let after: string | undefined
  for (;;) {
    const { data } = await send<AppliedClass>('POST', path, { ...body, after }, crypto.randomUUID())
    if (isKept(data)) return { ...NOTHING_YET, grade: body.grade, waits: true }
    students.push(...data.students)
    after = data.next_after
    if (after === undefined) return { ...data, students }
  }
}

function countOf(
  done: readonly AppliedClass[],
  outcome: AppliedClass['students'][number]['outcome'],
): number {
  return done.flatMap(one => one.students).filter(one => one.outcome === outcome).length
}

/** Somebody has less to pay than now, or has concessions. */
function isLower(done: readonly AppliedClass[]): boolean {
  return done
    .flatMap(one => one.students)
    .some(one => one.after_amount < one.before_amount || one.concession_amount > 0)
}

function applyLabel(done: readonly AppliedClass[]): string {
  return `Set the fees of ${counted(countOf(done, 'changed'), 'student')}`
}

function Shown({ run, total }: { run: Run; total: number }) {
  const { done, isPreview, isOver, failure } = run
  const skipped = done.flatMap(one => one.students).filter(one => one.outcome === 'skipped')
  return (
    <div role="status">
      {!isOver && (
        <Progress
          mt="sm"
          size="lg"
          value={(done.length / total) * 100}
          aria-label={`${done.length} of ${total} classes`}
        />
      )}
      {failure !== null && (
        <ProblemAlert>
          {`It stopped after ${done.length} of ${total} classes: ${failure} Start it again; what is set stays.`}
        </ProblemAlert>
      )}
      {isOver && isPreview && failure === null && countOf(done, 'changed') === 0 && (
        <p>Nothing would change.</p>
      )}
      {isOver && !isPreview && failure === null && (
        <Alert color="bursar" mt="sm">
          {`The fees of ${counted(countOf(done, 'changed'), 'student are', 'students are')} set; ${formatCount(countOf(done, 'unchanged'))} had them already.`}
        </Alert>
      )}
      {isOver && done.some(one => one.waits) && (
        <Alert color="yellow" mt="sm">
          {`Class ${done
            .filter(one => one.waits)
            .map(one => one.grade)
            .join(
              ', ',
            )}: families would pay less by more than your school’s amount, so a colleague has to approve it under Settings → Approvals.`}
        </Alert>
      )}
      {isOver && <WithoutFees classes={done.at(-1)?.classes_without_fees ?? []} />}
      <Classes done={done} isPreview={isPreview} />
      {skipped.length > 0 && (
        <>
          <h3 className="section-title">Skipped</h3>
          <ul>
            {skipped.slice(0, 50).map(one => (
              <li
                key={one.service_student_id}
              >{`${one.fullname}, ${one.identifier}: ${one.reason ?? ''}`}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

function WithoutFees({ classes }: { classes: AppliedClass['classes_without_fees'] }) {
  if (classes.length === 0) return null
  const students = classes.reduce((sum, one) => sum + one.students, 0)
  const names = classes.map(one => `${one.grade} (${formatCount(one.students)})`).join(', ')
  return (
    <Alert color="yellow" mt="sm">
      {`${counted(students, 'student is in a class', 'students are in classes')} without fees and owe nothing: ${names}. Set the fees of the class above, or correct the class of the student.`}
    </Alert>
  )
}

function Classes({ done, isPreview }: { done: readonly AppliedClass[]; isPreview: boolean }) {
  const rows = done.filter(one => one.students.length > 0)
  if (rows.length === 0) return null
  return (
    <>
      <ShortTable
        name="What changes by class"
        rows={rows}
        rowId={one => one.grade}
        columns={[
          { title: 'Class', cell: one => <strong>{one.grade}</strong> },
          { title: 'Students', isAmount: true, cell: one => formatCount(one.students.length) },
          {
            title: isPreview ? 'Would change' : 'Changed',
            isAmount: true,
            cell: one => formatCount(countOf([one], 'changed')),
          },
          { title: 'Skipped', isAmount: true, cell: one => formatCount(countOf([one], 'skipped')) },
          { title: 'Payable before', isAmount: true, cell: one => formatRupees(sum(one, 'before_amount')) },
          { title: 'Payable after', isAmount: true, cell: one => formatRupees(sum(one, 'after_amount')) },
          { title: 'Concessions', isAmount: true, cell: one => formatRupees(sum(one, 'concession_amount')) },
        ]}
      />
      {rows.map(one => (
        <details key={one.grade}>
          <summary>{`Students of class ${one.grade}`}</summary>
          <ShortTable
            name={`Students of class ${one.grade}`}
            rows={one.students}
            rowId={student => student.service_student_id}
            columns={[
              { title: 'Student', cell: student => `${student.fullname}, ${student.identifier}` },
              { title: 'Child of the family', cell: student => String(student.child) },
              { title: 'Before', isAmount: true, cell: student => formatRupees(student.before_amount) },
              { title: 'After', isAmount: true, cell: student => formatRupees(student.after_amount) },
              {
                title: 'Concession',
                isAmount: true,
                cell: student => formatRupees(student.concession_amount),
              },
              {
                title: 'Note',
                cell: student => student.reason ?? (student.outcome === 'unchanged' ? 'As it is' : ''),
              },
            ]}
          />
        </details>
      ))}
    </>
  )
}

function sum(one: AppliedClass, key: 'before_amount' | 'after_amount' | 'concession_amount'): number {
  return one.students.reduce((total, student) => total + student[key], 0)
}
