// The server from its start to its end: ready, logged, measured, stopped.
#include <signal.h>

#include <filesystem>

#include "tests/bindings/serve/served.h"

namespace rondo {
namespace {

using test::HttpAnswer;
using test::HttpClient;
using test::kInfer;
using test::kRow;
using test::kRowAnswer;
using test::ServerProcess;

class ServerLife : public test::Served {};

TEST_F(ServerLife, ItIsLiveBeforeItIsReady) {
  const ServerProcess server(slow(), {"--warm", "1,2,4"});
  HttpClient client(server.port());
  EXPECT_EQ(client.get("/v2/health/live").body, R"({"live":true})");
  const HttpAnswer answer = client.get("/v2/health/ready");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.body, R"({"ready":false})");
  server.wait_until_ready();
  HttpClient later(server.port());  // where all is slow, the first one has idled too long
  EXPECT_EQ(later.get("/v2/models/slow/ready").status, 200);
}

TEST_F(ServerLife, ItIsReadyOnceTheShapesOfWarmAreCompiledAndCompared) {
  const std::string cache = path("cache");
  setenv("RONDO_CACHE_DIR", cache.c_str(), 1);
  const ServerProcess server(small(), {"--warm", "1,2", "--threads", "2"});
  unsetenv("RONDO_CACHE_DIR");
  server.wait_until_ready();
  if (metric(server, "rondo_kernels_total{from=\"compiler\"}") == 0) {
    GTEST_SKIP() << "this build has no compiler, so nothing is ever compiled";
  }
  const auto interpreted = [&] { return metric(server, "rondo_ops_total{how=\"interpreted\"}"); };
  const double before = interpreted();
  HttpClient client(server.port());
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(client.post(kInfer, kRow).body, kRowAnswer);
  }
  EXPECT_EQ(interpreted(), before);
}

TEST_F(ServerLife, AWrongShapeToWarmIsToldAndDoesNotKeepItFromBeingReady) {
  const std::string errors = path("errors");
  const ServerProcess server(slow(), {"--warm", "1000000", "--memory-mb", "64"}, errors);
  server.wait_until_ready();
  EXPECT_NE(read_text(errors).find("rondo serve: --warm 1000000: "), std::string::npos);
}

TEST_F(ServerLife, SigtermRefusesConnectionsAndFinishesWhatIsUnderWay) {
  ServerProcess server(slow(), {"--grace", "60"});
  HttpClient idle(server.port());
  EXPECT_EQ(idle.get("/v2").status, 200);
  HttpClient busy(server.port());
  busy.send_only(slow_request(1024));
  EXPECT_TRUE(reaches(server, "rondo_active_requests", 2));
  server.signal(SIGTERM);
  EXPECT_EQ(idle.receive().status, 0);  // closed: it is not ready for more
  EXPECT_THROW(HttpClient(server.port()), std::runtime_error);
  EXPECT_EQ(busy.receive().status, 200);
  EXPECT_EQ(server.wait(), 0);
}

TEST_F(ServerLife, ItEndsWithinGraceWhateverRunsAndAnswersIt) {
  ServerProcess server(slow(), {"--grace", "1"});
  HttpClient busy(server.port());
  busy.send_only(slow_request(8192));  // for many seconds
  EXPECT_TRUE(reaches(server, "rondo_active_requests", 2));
  const auto start = std::chrono::steady_clock::now();
  server.signal(SIGTERM);
  const HttpAnswer answer = busy.receive();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.body, R"({"error":"infer: the server is stopping"})");
  EXPECT_EQ(server.wait(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST_F(ServerLife, SigtermDuringWarmingEndsItToo) {
  ServerProcess server(slow(), {"--warm", "4096", "--grace", "1"});
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
}

TEST_F(ServerLife, EachRequestIsAJsonLineWithItsId) {
  const std::string errors = path("errors");
  const ServerProcess server(small(), {"--log"}, errors);
  HttpClient client(server.port());
  EXPECT_EQ(client.post(kInfer, kRow, "X-Request-Id: abc-1\r\n").header("X-Request-Id"), "abc-1");
  const std::string made = client.post(kInfer, "{").header("X-Request-Id");
  EXPECT_EQ(made.size(), 16U);
  EXPECT_NE(client.get("/v2/health/live").header("X-Request-Id"), made);
  std::string log;
  EXPECT_TRUE(wait([&] {
    log = read_text(errors);
    return log.find("/v2/health/live") != std::string::npos;
  })) << log;
  EXPECT_NE(log.find(R"({"id":"abc-1","method":"POST","path":"/v2/models/small/infer",)"
                     R"("status":200,"seconds":)"),
            std::string::npos)
      << log;
  EXPECT_NE(log.find("{\"id\":\"" + made +
                     R"(","method":"POST","path":"/v2/models/small/infer","status":400,)"),
            std::string::npos)
      << log;
}

TEST_F(ServerLife, MetricsTellRequestsLatencyQueueBatchesCompilesFallbacksAndMemory) {
  const ServerProcess server(small());
  HttpClient(server.port()).post(kInfer, kRow);
  EXPECT_TRUE(reaches(server, "rondo_requests_total{status=\"200\"}", 1));
  EXPECT_EQ(metric(server, "rondo_batch_rows_sum"), 1);
  EXPECT_EQ(metric(server, "rondo_queued_requests"), 0);
  for (const char* name :
       {"rondo_request_seconds_count", "rondo_run_seconds_sum", "rondo_active_requests",
        "rondo_connections", "rondo_kernels_total{from=\"compiler\"}",
        "rondo_kernels_total{from=\"disk\"}", "rondo_kernel_fallbacks_total{reason=\"failed\"}",
        "rondo_kernel_fallbacks_total{reason=\"differed\"}", "rondo_compile_milliseconds_total",
        "rondo_ops_total{how=\"compiled\"}", "rondo_runs_ended_total", "rondo_body_bytes",
        "rondo_tensor_bytes", "rondo_resident_bytes"}) {
    EXPECT_GE(metric(server, name), 0) << name;
  }
}

TEST_F(ServerLife, ItGoesOnWhenItsArchiveIsReplacedByARename) {
  const std::string archive = small();
  const ServerProcess server(archive);
  std::filesystem::rename(write("other", test::slow_archive()), archive);
  EXPECT_EQ(HttpClient(server.port()).post(kInfer, kRow).body, kRowAnswer);
}

TEST_F(ServerLife, CopiedWeightsOutliveAnArchiveThatIsOverwrittenInPlace) {
  const std::string archive = small();
  const ServerProcess server(archive, {"--weights", "copy"});
  std::filesystem::resize_file(archive, 0);
  EXPECT_EQ(HttpClient(server.port()).post(kInfer, kRow).body, kRowAnswer);
}

}  // namespace
}  // namespace rondo
