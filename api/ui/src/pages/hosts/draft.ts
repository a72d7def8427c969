// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A first draft of an inventory. */

export function draftInventory(fabric: string): string {
  return `# Hosts of ${fabric}, and how agents are started there. docs/operate/hosts.md explains the keys.
ibcc_inventory: 1
name: ${fabric}
launcher: {kind: ssh, user: ibcc, connect_timeout_s: 10}
hosts:
# nodes: names for the launcher. host: the port's name on the fabric; {node} is the node's name, {number} the number in it.
- {nodes: "node[1-7]", host: "{node} HCA-1", address: "{node}-ib", device: mlx5_0}
`;
}
