import { useQuery } from '@tanstack/react-query'
import type {
  PaymentsAnswer,
  PlanAnswer,
  PlansAnswer,
  StudentPageAnswer,
} from '../../../../src/console/students/students.output.ts'
import { get } from '../../api/client.ts'
import { useInstitutePath, useSession } from '../../api/session.ts'
import { dayInIndia } from './texts.ts'

export type Student = StudentPageAnswer
export type DirectPayment = PaymentsAnswer['direct'][number]

/** What every dialogue about a student is given. */
export type ActionProps = { student: Student; onClose: () => void }

/** Queries to refresh after an action on a student. */
export const AFTER_CHANGE = ['student', 'students', 'audit', 'home', 'orders'] as const

export function useStudentPath(id: string): string {
  return `${useInstitutePath()}/students/${encodeURIComponent(id)}`
}

function useOfStudent<Answer>(id: string, part: string) {
  const path = useStudentPath(id) + part
  return useQuery({ queryKey: ['student', path], queryFn: ({ signal }) => get<Answer>(path, {}, signal) })
}

export const useStudent = (id: string) => useOfStudent<StudentPageAnswer>(id, '')
export const usePayments = (id: string) => useOfStudent<PaymentsAnswer>(id, '/payments')
export const usePlans = (id: string) => useOfStudent<PlansAnswer>(id, '/plans')
export const usePlan = (id: string, plan: string) => useOfStudent<PlanAnswer>(id, `/plans/${plan}`)

/** The year in which the academic year of a moment began: from April on the new one. */
export function academicYearOf(now: string | undefined): number {
  const [year = 0, month = 0] = dayInIndia(now).split('-').map(Number)
  return month < 4 ? year - 1 : year
}

export function useCurrentYear(): number {
  return academicYearOf(useSession()?.now)
}
