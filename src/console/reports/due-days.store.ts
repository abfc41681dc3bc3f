type Fee = { institute: string; year: string; branch: string; component: string }

/**
 * Joins the due day of a fee by the structure of its branch (`day`) and by the institute's (`shared`), which holds where
 * the branch has none; `dueDayOf` says the same of one student.
 */
export function joinDueDays({ institute, year, branch, component }: Fee): string {
  const join = (alias: string): string =>
    `left join fee_due_days ${alias} on ${alias}.institute_id = ${institute} and ${alias}.academic_year_start = ${year}
       and ${alias}.component_type = ${component}`
  return `${join('day')} and day.collector_code = ${branch}
     ${join('shared')} and shared.collector_code is null`
}
