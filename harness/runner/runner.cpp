#include "harness/runner/runner.hpp"

#include <algorithm>
#include <utility>

#include "harness/core/error.hpp"
#include "harness/runner/launch.hpp"
#include "harness/runner/waiting.hpp"

namespace brink {

namespace {

using std::chrono::steady_clock;

/// How often the runner looks for pause, cancel and new campaigns, and redraws elapsed times.
constexpr std::chrono::milliseconds kTick{200};
/// An experiment whose inputs change more often than this never ends: it is blocked.
constexpr int kRestarts = 4;

}  // namespace

Runner::Runner(Store& store, Executor& executor, RunnerSettings settings)
    : store_(store), executor_(executor), settings_(std::move(settings)) {}

Runner::~Runner() = default;

bool Runner::work(std::optional<RowId> campaign) {
  load_queue(campaign);
  for (;;) {
    if (settings_.interrupted()) return false;
    notice_queue(campaign);
    begin_startable();
    // Stored evidence may answer everything without a process: fill until nothing moves.
    while (fill()) finish_over();
    finish_over();
    const bool waiting = std::any_of(inquiries_.begin(), inquiries_.end(), [&](const auto& inquiry) {
      return begun_[inquiry.get()] ? !inquiry->over() : startable(*inquiry);
    });
    const bool ours = std::any_of(running_.begin(), running_.end(), [&](const auto& entry) {
      return !campaign || entry.second.campaign == *campaign;
    });
    if (!ours && !waiting) break;
    if (running_.empty() && !fill()) {
      // A search that is not done, asks nothing and waits for nothing would wait for ever.
      for (auto& inquiry : inquiries_)
        if (begun_[inquiry.get()] && !inquiry->over())
          inquiry->block("the search stopped asking without an answer");
      continue;
    }
    wait(kTick);
  }
  return true;
}

int Runner::slots_free(const Inquiry& inquiry) const {
  int of_campaign = 0;
  for (const auto& [id, trial] : running_)
    if (trial.campaign == inquiry.campaign().id) ++of_campaign;
  return std::min(settings_.slots - static_cast<int>(running_.size()),
                  inquiry.planner().campaign().slots - of_campaign);
}

bool Runner::fill() {
  bool moved = false;
  for (std::size_t i = 0; i < inquiries_.size(); ++i) {
    Inquiry& inquiry = *inquiries_[i];
    if (!begun_[&inquiry]) continue;
    for (int free = slots_free(inquiry); free > 0 && !inquiry.over() && within_budget(inquiry);
         free = slots_free(inquiry)) {
      const auto points = inquiry.search().ask(free);
      if (points.empty()) break;
      for (const Point& point : points) moved = place(inquiry, point) || moved;
    }
  }
  return moved;
}

bool Runner::within_budget(Inquiry& inquiry) {
  const Budget& budget = inquiry.planner().campaign().budget;
  if (budget.trials && budget_used(inquiry) >= *budget.trials) {
    inquiry.out_of_budget("stopped by its budget of " + std::to_string(*budget.trials) + " trials");
    return false;
  }
  const std::chrono::duration<double> worked = steady_clock::now() - working_since_.at(inquiry.campaign().id);
  if (budget.seconds && worked.count() >= *budget.seconds) {
    inquiry.out_of_budget("stopped by its budget of time");
    return false;
  }
  return true;
}

std::int64_t Runner::budget_used(const Inquiry& inquiry) const {
  std::int64_t used = 0;
  for (const auto& other : inquiries_)
    if (other->campaign().id == inquiry.campaign().id) used += other->started();
  return used;
}

bool Runner::place(Inquiry& inquiry, const Point& point) {
  const Config config = inquiry.config(point);
  Planner& planner = inquiry.planner();
  try {
    const TrialPlan plan = planner.plan(inquiry.experiment(), config, next_folder());
    if (inquiry.inputs_changed(plan.watched) && planner.family(inquiry.experiment()) != inquiry.family()) {
      if (++restarts_[&inquiry] > kRestarts) {
        inquiry.search().withdraw(point);
        inquiry.block(
            std::string("a program or an input file changes again and again while the experiment runs") +
            kOutputRemedy);
        return true;
      }
      planner.establish_identity();
      forget_waiting(&inquiry);
      inquiry.begin(
          "a program or an input file of the command changed while the experiment ran: it began anew, and "
          "earlier trials are kept for comparison only");
      return true;
    }
    Evidence evidence;
    if (const auto stored = inquiry.reusable(plan.key, evidence)) {
      say(Event::Kind::reused, &inquiry, stored->id, config_at(inquiry.experiment().axes, point).text(), "",
          &evidence, stored->outcome->wall_s);
      drop_pointless(inquiry, inquiry.tell(*stored, point, evidence));
      return true;
    }
    for (auto& [id, trial] : running_) {
      const bool too_old = trial.id <= inquiry.campaign().fresh_after;
      if (trial.key != plan.key || trial.cancelled || too_old || waits(trial.waiting, &inquiry)) continue;
      trial.waiting.push_back({&inquiry, point});
      return true;
    }
    const RowId id = start(planner, inquiry.campaign().id, inquiry.row().id, inquiry.experiment(), config,
                           plan, "search", inquiry.family());
    running_.at(std::to_string(id)).waiting.push_back({&inquiry, point});
    inquiry.count_start();
    say(Event::Kind::started, &inquiry, id, config_at(inquiry.experiment().axes, point).text());
  } catch (const Error& error) {
    if (error.exit() != Exit::infrastructure || error.code() == "store") throw;
    inquiry.search().withdraw(point);
    inquiry.block(error.line());
  }
  return true;
}

std::filesystem::path Runner::next_folder() const { return store_.trial_folder(store_.last_trial() + 1); }

RowId Runner::start(Planner& planner, RowId campaign, RowId experiment, const Experiment& asked,
                    const Config& config, const TrialPlan& plan, const std::string& purpose,
                    const std::string& family) {
  NewTrial made = new_trial(planner, plan, config, purpose);
  made.campaign = campaign;
  made.experiment = experiment;
  made.family = family;
  made.host = settings_.host;
  made.brink_version = settings_.brink_version;
  const auto planned_folder = next_folder();
  const RowId id = store_.insert_trial(made);
  const std::string name = std::to_string(id);
  try {
    const auto folder = store_.trial_folder(id);
    make_folder(folder, 0700);
    Descriptor lock = try_lock(folder / "lock");
    if (!lock) throw infrastructure_error("the trial's lock is taken", (folder / "lock").string());
    const bool foreseen = folder == planned_folder;
    const TrialPlan placed = foreseen ? plan : planner.plan(asked, config, folder);
    const Job job = planner.prepare(asked, config, placed, name, made.attempt, folder);
    write_job(job);
    executor_.submit(job, std::move(lock));
  } catch (const Error& error) {
    // The row exists: it ends as what it was, an infrastructure failure before anything ran.
    record_unstarted(store_, id, made.attempt, error);
    std::error_code ignored;  // what was passed by name must not stay on the disk
    std::filesystem::remove(store_.trial_folder(id) / "job.json", ignored);
    throw;
  }
  running_[name] = {id, campaign, plan.key, family, made.config, steady_clock::now(), {}, false};
  return id;
}

void Runner::wait(std::chrono::milliseconds most) {
  const auto deadline = steady_clock::now() + most;
  bool any = false;
  // Everything that is over now is recorded before the slots are filled again.
  while (const auto completion = executor_.next(any ? steady_clock::now() : deadline)) {
    any = true;
    const auto running = running_.find(completion->trial);
    if (running == running_.end()) continue;
    const Running trial = running->second;
    running_.erase(running);
    {
      Store::Batch batch(store_);
      if (const auto row = record(*completion)) deliver(*row, trial);
      batch.commit();
    }
    compress_log(trial);
  }
  if (!any) say(Event::Kind::waiting, nullptr, 0, "");
}

void Runner::adopt() {
  for (const TrialRow& row : store_.running_trials()) {
    const std::string id = std::to_string(row.id);
    const auto job = stored_job(store_.trial_folder(row.id), id, row.made.attempt);
    running_[id] = {row.id,          row.made.campaign,   row.made.key, row.made.family,
                    row.made.config, steady_clock::now(), {},           false};
    for (auto& file : files_made(job)) adopted_outputs_.push_back(std::move(file));
    executor_.adopt(job);
    say(Event::Kind::adopted, nullptr, row.id, config_from_canonical(row.made.config).text());
  }
}

std::optional<TrialRow> Runner::execute(RowId campaign, RowId experiment, const Config& config,
                                        const std::string& purpose) {
  const auto row = store_.campaign(campaign);
  if (!row) throw usage_error("there is no campaign " + std::to_string(campaign));
  Planner& planner = planner_of(*row);
  planner.establish_identity();
  const auto rows = store_.experiments(campaign);
  const auto named =
      std::find_if(rows.begin(), rows.end(), [&](const auto& one) { return one.id == experiment; });
  const auto& all = planner.campaign().experiments;
  const auto asked = std::find_if(all.begin(), all.end(), [&](const auto& one) {
    return named != rows.end() && one.name == named->name;
  });
  if (asked == all.end()) throw usage_error("campaign " + row->name + " has no such experiment");
  const TrialPlan plan = planner.plan(*asked, config, next_folder());
  while (static_cast<int>(running_.size()) >= settings_.slots) {
    if (settings_.interrupted()) return std::nullopt;
    wait(kTick);
  }
  const RowId id =
      start(planner, campaign, experiment, *asked, config, plan, purpose, planner.family(*asked));
  say(Event::Kind::started, nullptr, id, config.text());
  while (running_.contains(std::to_string(id))) {
    if (settings_.interrupted()) return std::nullopt;
    wait(kTick);
  }
  return store_.trial(id);
}

std::vector<Runner::Underway> Runner::underway() const {
  std::vector<Underway> all;
  for (const auto& [id, trial] : running_) {
    const std::chrono::duration<double> seconds = steady_clock::now() - trial.since;
    all.push_back({trial.id, config_from_canonical(trial.config).text(), seconds.count()});
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.trial < b.trial; });
  return all;
}

void Runner::cancel_all() {
  for (auto& [id, trial] : running_) {
    trial.waiting.clear();
    cancel(trial);
  }
  while (!running_.empty()) wait(kTick);
}

void Runner::cancel(Running& trial) {
  trial.cancelled = true;
  executor_.cancel(std::to_string(trial.id));
}

void Runner::say(Event::Kind kind, const Inquiry* inquiry, RowId trial, const std::string& config,
                 const std::string& text, const Evidence* evidence, double wall_s) const {
  if (settings_.watch) settings_.watch({kind, inquiry, trial, config, evidence, wall_s, text});
}

}  // namespace brink
