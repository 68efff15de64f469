/** Who sits here, for the record of what was decided. Neighbours: the commands that decide. */
import { userInfo } from 'node:os'

export function whoAmI(given: string | undefined): string {
  if (given !== undefined && given !== '') return given
  try {
    return userInfo().username
  } catch {
    // A user without a name, as in some containers.
    return 'command line'
  }
}
