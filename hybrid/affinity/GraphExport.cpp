// SPDX-License-Identifier: GPL-2.0-or-later
//
// The affinity graph in the formats of other people's tools, through igraph's
// own writers.

#include "hybrid/affinity/AffinityGraph.h"

#include "hybrid/affinity/IgraphSession.h"

#include <cstdio>
#include <cstdlib>

namespace kst {

namespace {

/// A FILE that writes into memory.
struct MemoryFile {
  MemoryFile() : File(open_memstream(&Data, &Size)) {}
  ~MemoryFile() {
    close();
    std::free(Data);
  }
  void close() {
    if (File)
      std::fclose(File);
    File = nullptr;
  }
  char *Data = nullptr;
  size_t Size = 0;
  std::FILE *File;
};

} // namespace

Result<std::string> AffinityGraph::write(bool Dot) const {
  std::vector<int> Group(Names.size(), -1);
  int Number = 0;
  for (const auto &Fields : communities()) {
    for (uint32_t F : Fields)
      Group[F] = Number;
    ++Number;
  }

  MemoryFile Out;
  if (!Out.File)
    return Failure{"out of memory while writing the affinity graph"};
  IgraphSession Session(Opts.Seed);
  igraph_t Graph;
  if (igraph_empty(&Graph, static_cast<igraph_integer_t>(Names.size()),
                   IGRAPH_UNDIRECTED) != IGRAPH_SUCCESS)
    return Failure{"igraph could not make the affinity graph"};
  igraph_vector_int_t Ends;
  igraph_vector_int_init(&Ends, 0);
  for (const AffinityEdge &Edge : Edges) {
    igraph_vector_int_push_back(&Ends, Edge.A);
    igraph_vector_int_push_back(&Ends, Edge.B);
  }
  igraph_error_t Code = igraph_add_edges(&Graph, &Ends, nullptr);
  igraph_vector_int_destroy(&Ends);
  for (size_t F = 0; F < Names.size() && Code == IGRAPH_SUCCESS; ++F) {
    auto Node = static_cast<igraph_integer_t>(F);
    SETVAS(&Graph, Dot ? "label" : "name", Node, Names[F].c_str());
    SETVAN(&Graph, "frequency", Node, Frequency[F]);
    SETVAN(&Graph, "group", Node, Group[F]);
  }
  for (size_t E = 0; E < Edges.size() && Code == IGRAPH_SUCCESS; ++E) {
    auto Edge = static_cast<igraph_integer_t>(E);
    SETEAN(&Graph, "gain", Edge, Edges[E].Gain);
    SETEAN(&Graph, "loss", Edge, Edges[E].Loss);
    SETEAN(&Graph, "weight", Edge, Edges[E].Gain);
  }
  if (Code == IGRAPH_SUCCESS)
    Code = Dot ? igraph_write_graph_dot(&Graph, Out.File)
               : igraph_write_graph_graphml(&Graph, Out.File,
                                            /*prefixattr=*/false);
  igraph_destroy(&Graph);
  Out.close();
  if (Code != IGRAPH_SUCCESS)
    return Failure{std::string("igraph could not write the affinity graph: ") +
                   igraph_strerror(Code)};
  return std::string(Out.Data, Out.Size);
}

Result<std::string> AffinityGraph::graphMl() const { return write(false); }
Result<std::string> AffinityGraph::dot() const { return write(true); }

} // namespace kst
