/**
 * Refuses a lockfile that only works where it was written: one that names a registry's address, or
 * that lacks a platform's binary. npm leaves an optional package out when it cannot resolve it, and
 * `npm ci` then fails elsewhere. Takes paths of lockfiles, by default both of ours.
 */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ours = ['package-lock.json', 'test/judges/package-lock.json']
const given = process.argv.slice(2)
const paths =
  given.length > 0
    ? given
    : ours.map((path) => fileURLToPath(new URL(`../${path}`, import.meta.url)))

const complaints = paths.flatMap((path) => {
  const { packages } = JSON.parse(readFileSync(path, 'utf8'))
  if (packages === undefined) return [`${path}: Cannot read a lockfile without "packages"`]
  const found = [...addresses(packages), ...holes(packages)]
  return found.map((complaint) => `${relative('.', path)}: ${complaint}`)
})

for (const complaint of complaints) console.error(complaint)
if (complaints.length > 0) process.exitCode = 1

/** Entries that say where they came from. Pinned content is named by its hash, not by a host. */
function addresses(packages) {
  return Object.entries(packages).flatMap(([place, entry]) => {
    const address = entry.resolved ?? (entry.version?.includes('://') ? entry.version : undefined)
    if (address === undefined) return []
    return [`"${place}" carries an address; write it with omit-lockfile-registry-resolved=true`]
  })
}

/** Optional packages that some entry asks for and that no place it could load them from has. */
function holes(packages) {
  return Object.entries(packages).flatMap(([place, entry]) =>
    Object.keys(entry.optionalDependencies ?? {})
      .filter((name) => !placesFor(place, name).some((at) => packages[at] !== undefined))
      .map((name) => `"${name}", optional in "${place}", has no entry; pin a release that has it`),
  )
}

/** Where Node would look for `name` from `place`, the nearest first. */
function placesFor(place, name) {
  const places = []
  for (let at = place; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    places.push(`${at}/node_modules/${name}`)
  }
  return [...places, `node_modules/${name}`]
}
