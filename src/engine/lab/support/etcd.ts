import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from 'spec-served-cli/internal/local/postgres'

/** One of the etcds that keep who leads. */
export interface EtcdMember {
  name: string
  /** Ends it at once (SIGKILL), as a machine that is gone. */
  kill(): Promise<void>
  /** Starts it again on its stored data. */
  start(): void
}

/** Three etcds, of which two must live. */
export interface Etcd {
  /** the address of each member */
  hosts: readonly string[]
  members: readonly EtcdMember[]
}

/**
 * Starts them on free ports of this machine.
 * @param directory for their data
 * @param launch starts a program that writes its log under a name
 */
export async function startEtcd(
  directory: string,
  launch: (name: string, command: string, args: string[]) => ChildProcess,
): Promise<Etcd> {
  const places = await Promise.all(
    [1, 2, 3].map(async number => ({
      name: `etcd-${number}`,
      client: `127.0.0.1:${await freePort()}`,
      peer: `http://127.0.0.1:${await freePort()}`,
    })),
  )
  const all = places.map(({ name, peer }) => `${name}=${peer}`).join()
  const members = places.map(({ name, client, peer }): EtcdMember => {
    let child: ChildProcess | undefined
    return {
      name,
      async kill() {
        if (!child || child.exitCode !== null || child.signalCode !== null) return
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      },
      start() {
        child = launch(name, 'etcd', [
          ...['--name', name, '--data-dir', join(directory, name), '--unsafe-no-fsync'],
          ...['--listen-client-urls', `http://${client}`, '--advertise-client-urls', `http://${client}`],
          ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
          ...['--initial-cluster', all],
        ])
      },
    }
  })
  for (const member of members) member.start()
  return { hosts: places.map(({ client }) => client), members }
}
