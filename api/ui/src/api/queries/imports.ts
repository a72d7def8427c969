// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Imports of fabrics, and the versions that fabrics have. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useAllPages } from "@/api/queries/pages";
import { address, get, path, post, send } from "@/api/request";
import type {
  FabricDetail,
  FabricImport,
  FabricVersion,
  ImportSummary,
  KeepImport,
  PackagedFabric,
  Picture,
  Reread,
} from "@/api/types";

const LOOK_MS = 700;

export function useImports(enabled: boolean) {
  return useAllPages<ImportSummary>(["imports"], "/fabric-imports", {}, { enabled });
}

/** Refetched until it is read. */
export function useImport(id: string) {
  return useQuery({
    queryKey: ["imports", id],
    queryFn: () => get<FabricImport>(path`/fabric-imports/${id}`),
    refetchInterval: (query) => (query.state.data?.state === "reading" ? LOOK_MS : false),
  });
}

export function useImportPicture(id: string, enabled: boolean) {
  return useQuery({
    queryKey: ["imports", id, "picture"],
    queryFn: () => get<Picture>(path`/fabric-imports/${id}/topology`),
    enabled,
  });
}

/** Address of the files of OpenSM's line that suits an import, in one archive. */
export function importLineFiles(id: string): string {
  return address(path`/fabric-imports/${id}/routing/files`);
}

/** A mutation whose answer is the import as it is now. */
function useImportAction<T>(act: (wanted: T) => Promise<FabricImport>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: (now) => {
      client.setQueryData(["imports", now.id], now);
      client.removeQueries({ queryKey: ["imports", now.id, "picture"] });
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["imports", "pages"] }),
  });
}

export interface Upload {
  file: Blob;
  name: string;
  /** The fabric of which it is to be a version; empty: a new one. */
  fabric: string;
}

export function useUpload() {
  return useImportAction(
    async ({ file, name, fabric }: Upload) =>
      (
        await send<FabricImport>("POST", "/fabric-imports", {
          file: await packed(file),
          query: { file_name: name.slice(-255), fabric: fabric || undefined },
        })
      ).body,
  );
}

export function useImportFromOpenSm() {
  return useImportAction((fabric: string) => post<FabricImport>(path`/fabrics/${fabric}/import`));
}

/** `part`: forwarding tables, or a node name map. */
export function useUploadPart(id: string, part: "routes" | "names") {
  return useImportAction(
    async (file: File) =>
      (
        await send<FabricImport>("PUT", path`/fabric-imports/${id}/${part}`, {
          file: await packed(file),
          query: { file_name: file.name.slice(-255) },
        })
      ).body,
  );
}

export function useReread(id: string) {
  return useImportAction((options: { [key in keyof Reread]?: string | number | boolean | null }) =>
    post<FabricImport>(path`/fabric-imports/${id}/reread`, options),
  );
}

export function useCancelImport(id: string) {
  return useImportAction(() => post<FabricImport>(path`/fabric-imports/${id}/cancel`));
}

/** `onKept` is called even where what asked for it is gone from the page by then. */
export function useKeepImport(id: string, onKept: (now: FabricImport) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: KeepImport) => post<FabricImport>(path`/fabric-imports/${id}/keep`, body),
    onSuccess: (now) => {
      onKept(now);
      client.setQueryData(["imports", id], now); // its picture is the fabric's from now on, and not asked for again
      return client.invalidateQueries({ queryKey: ["fabrics"] });
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["imports", "pages"] }),
  });
}

export function useDiscardImport() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => send<void>("DELETE", path`/fabric-imports/${id}`),
    onSettled: () => client.invalidateQueries({ queryKey: ["imports", "pages"] }),
  });
}

export function usePackagedFabrics() {
  return useAllPages<PackagedFabric>(["packaged-fabrics"], "/packaged-fabrics");
}

export function useVersions(fabric: string) {
  return useAllPages<FabricVersion>(["fabrics", fabric, "versions"], path`/fabrics/${fabric}/versions`);
}

export function useVersionPicture(fabric: string, version: number) {
  return useQuery({
    queryKey: ["fabrics", fabric, "versions", version, "picture"],
    queryFn: () => get<Picture>(path`/fabrics/${fabric}/versions/${version}/topology`),
  });
}

export function useRestoreVersion(fabric: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (version: number) => {
      const { etag } = await send<FabricDetail>("GET", path`/fabrics/${fabric}`);
      const where = path`/fabrics/${fabric}/versions/${version}/restore`;
      return (await send<FabricVersion>("POST", where, { ifMatch: etag ?? undefined })).body;
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["fabrics", fabric] }),
  });
}

const GZIP = [0x1f, 0x8b];

/** A file packed by gzip, which makes these texts ten times smaller. */
async function packed(file: Blob): Promise<Blob> {
  const first = new Uint8Array(await file.slice(0, GZIP.length).arrayBuffer());
  if (GZIP.every((byte, i) => first[i] === byte) || typeof CompressionStream === "undefined") return file;
  return new Response(file.stream().pipeThrough(new CompressionStream("gzip"))).blob();
}
